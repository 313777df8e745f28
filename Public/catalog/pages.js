import { Draft, pageOf } from './draft.js';
import { Unreachable } from './server.js';
import { Shape } from './shape.js';
import { View } from './view.js';

/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {{from: number, to: number, isOtherView: boolean}} Move  What stood at `from` in the order before stands at
 *   `to` in this one.
 */

/**
 * The order that is shown, a page at a time: a bounded cache, filled for what is on screen first and then ahead in the
 * direction of travel. Only the newest wish counts; pages that nobody wants any more are never asked for. All pages are
 * of one view and one revision: what is of another is not let in, and an order that has changed is shown when it is
 * `adopt`ed, as a whole.
 *
 * Events: `order` (detail: the `Move`) when another order was adopted and nobody has heard of it yet, `catalog` when all
 * have; `page` (detail: `{first, last}`) when images became known; `news` when the order on the server is another one
 * now; `problem` (detail: the `Problem`) when a page could not be had.
 */
export class Pages extends EventTarget {
  static #kept = 64;
  static #requests = 2;
  static #ahead = 2;
  static #patience = 2_000;
  /**
   * So often the same order may come again when a newer one was heard of. Then who answers requests has no newer one: the
   * nodes of a gallery count each for itself, and the stream may be another's.
   */
  static #mostRepeats = 3;

  #server;
  /**
   * In order of use, the least recent first.
   * @type {Map<number, GalleryImage[]>}
   */
  #pages = new Map();
  /** @type {Map<number, Promise<void>>} */
  #underWay = new Map();
  /**
   * Pages wished for, the most urgent first.
   * @type {number[]}
   */
  #wishes = [];
  /**
   * Runs after a failure; nothing is asked for until it ends.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #pause;
  /** The server has another order by now; what it would answer is not of this one. */
  #isOld = false;
  /** The newest revision that was heard of. */
  #newest = 0;
  /** How often in a row, when a newer one was heard of, the same order came again. */
  #repeats = 0;

  view = new View();
  /**
   * How many images the view has; undefined until the first order has come.
   * @type {number | undefined}
   */
  total;
  /** @type {number | undefined} */
  revision;
  /**
   * The months of the order, where it is sorted by them.
   * @type {import('./server.js').Month[]}
   */
  months = [];
  /** What the images of the order look like. */
  shape = new Shape(null, 0);

  /** @param {Pick<import('./server.js').Server, 'page'>} server */
  constructor(server) {
    super();
    this.#server = server;
  }

  /**
   * The image at `index`, if its page is here.
   * @param {number} index
   * @returns {GalleryImage | undefined}
   */
  imageAt(index) {
    return this.#pages.get(pageOf(index))?.[index % Draft.pageSize];
  }

  /** Whether the order is another one by now. */
  get isOld() {
    return this.#isOld;
  }

  /**
   * The server says, unasked, what an order is now.
   * @param {string | undefined} view  Its text.
   * @param {number} revision
   * @param {number} total
   */
  hear(view, revision, total) {
    // A server that has not made the order yet says that it has no revision.
    if (this.total === undefined || revision === 0 || !View.read(view).equals(this.view)) return;
    if (this.#compare(revision, total)) return;
    this.#isOld = false;
    this.#newest = 0;
  }

  /** Nothing is wished for: the link has better things to carry. */
  rest() {
    this.#wishes = [];
  }

  /**
   * Says what is on screen. Replaces what was said before.
   * @param {number} first
   * @param {number} last  Inclusive.
   * @param {number} direction  1 when travelling towards the end, -1 towards the beginning.
   */
  want(first, last, direction) {
    const top = pageOf(Math.max(0, first));
    const bottom = pageOf(Math.max(0, last));
    const wishes = [];
    for (let page = top; page <= bottom; page += 1) wishes.push(page);
    for (let step = 1; step <= Pages.#ahead; step += 1) wishes.push(direction < 0 ? top - step : bottom + step);
    wishes.push(direction < 0 ? bottom + 1 : top - 1);
    this.#wishes = wishes.filter((page) => page >= 0 && page * Draft.pageSize < (this.total ?? 0));
    for (const page of this.#wishes) this.#touch(page);
    // Of this order no more can be learnt.
    if (this.#isOld && !(this.#pages.has(top) && this.#pages.has(bottom))) this.dispatchEvent(new Event('news'));
    this.#fetchNext();
  }

  /**
   * The image at `index`, fetched if need be; undefined if the order has none there.
   * @param {number} index
   * @returns {Promise<GalleryImage | undefined>}
   */
  async load(index) {
    if (!this.imageAt(index)) await this.#fetch(pageOf(index));
    return this.imageAt(index);
  }

  /** Asks whether the order has changed, without fetching a page. */
  async checkRevision() {
    const { view } = this;
    const { revision, total } = await this.#server.page(view, 0, 1);
    if (view.equals(this.view)) this.#compare(revision, total);
  }

  /** Trusts nothing that was learnt before: the server may have been another one meanwhile. */
  refresh() {
    this.#newest = 0;
    this.#compare(Number.NaN, 0);
  }

  /**
   * Shows another order, or another state of the one that is shown.
   * @param {Draft} draft
   * @param {Move} move
   */
  adopt({ view, revision, total, months, shape, pages }, move) {
    const isRepeat = !move.isOtherView && revision === this.revision && total === this.total;
    this.#repeats = isRepeat ? this.#repeats + 1 : 0;
    this.view = view;
    this.revision = revision;
    this.total = total;
    this.months = months;
    this.shape = shape;
    this.#pages = new Map(pages);
    this.#underWay = new Map();
    this.#wishes = [];
    this.#isOld = !move.isOtherView && this.#repeats < Pages.#mostRepeats && this.#newest > (revision ?? 0);
    if (!this.#isOld) this.#newest = 0;
    this.dispatchEvent(new CustomEvent('order', { detail: move }));
    for (const [page, images] of pages) this.#announce(page, images);
    this.dispatchEvent(new Event('catalog'));
  }

  /** @param {import('./problem.js').Problem} problem  Why an order cannot be shown. */
  report(problem) {
    if (!(problem instanceof Unreachable)) this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
  }

  /** @param {number} page */
  #touch(page) {
    const held = this.#pages.get(page);
    if (!held) return;
    this.#pages.delete(page);
    this.#pages.set(page, held);
  }

  #fetchNext() {
    if (this.#pause !== undefined || this.#isOld) return;
    for (const page of this.#wishes) {
      if (this.#underWay.size >= Pages.#requests) return;
      if (this.#underWay.has(page) || this.#pages.has(page)) continue;
      this.#fetch(page).then(() => this.#fetchNext(), (problem) => this.#waitAfter(problem));
    }
  }

  /** @param {import('./problem.js').Problem} problem */
  #waitAfter(problem) {
    this.report(problem);
    this.#pause ??= setTimeout(() => this.#resume(), (problem.retryAfter ?? 0) * 1_000 || Pages.#patience);
  }

  #resume() {
    this.#pause = undefined;
    this.#fetchNext();
  }

  /**
   * One request for a page however many want it.
   * @param {number} page
   */
  #fetch(page) {
    const underWay = this.#underWay;
    let fetching = underWay.get(page);
    if (!fetching) {
      fetching = this.#fetchOnce(page).finally(() => underWay.delete(page));
      underWay.set(page, fetching);
    }
    return fetching;
  }

  /** @param {number} page */
  async #fetchOnce(page) {
    const underWay = this.#underWay;
    const { revision, total, images } = await this.#server.page(this.view, page * Draft.pageSize, Draft.pageSize);
    // Another order was adopted meanwhile.
    if (underWay !== this.#underWay) return;
    if (this.#compare(revision, total)) return;
    this.#pages.delete(page);
    this.#pages.set(page, images);
    this.#evict();
    this.#announce(page, images);
  }

  /**
   * @param {number} page
   * @param {GalleryImage[]} images
   */
  #announce(page, images) {
    const first = page * Draft.pageSize;
    this.dispatchEvent(new CustomEvent('page', { detail: { first, last: first + images.length - 1 } }));
  }

  #evict() {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= Pages.#kept) return;
      if (!this.#wishes.includes(page)) this.#pages.delete(page);
    }
  }

  /**
   * @param {number} revision
   * @param {number} total
   * @returns {boolean}  Whether the order is another one now.
   */
  #compare(revision, total) {
    if (revision === this.revision && total === this.total) return false;
    this.#isOld = true;
    if (revision > this.#newest) this.#newest = revision;
    this.dispatchEvent(new Event('news'));
    return true;
  }
}
