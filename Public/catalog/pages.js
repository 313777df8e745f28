import { pageOf, pageSize } from './pending-order.js';
import { Unreachable } from './server.js';
import { Shape } from './shape.js';
import { View } from './view.js';

/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {{from: number, to: number, isOtherView: boolean}} Move  The image at `from` in the previous order is at
 *   `to` in this one.
 */

const maximumPages = 64;
const maximumRequests = 2;
const pagesAhead = 2;
const retryDelay = 2_000;
/**
 * How often the same order may arrive again after a newer one was announced. Then the node that answers requests has
 * no newer one: nodes count revisions independently, and the stream may come from another node.
 */
const mostRepeats = 3;

/**
 * The displayed order, one page at a time: a bounded cache that is filled for the viewport first and then ahead in the
 * direction of travel. Only the latest request from the grid counts; pages that nobody needs any more are never
 * fetched. All pages belong to one view and one revision: others are rejected. A changed order replaces this one as a
 * whole, in `adopt`.
 *
 * Events: `order` (detail: the `Move`) when another order was adopted and no other part has heard of it yet, `catalog`
 * when all have; `page` (detail: `{first, last}`) when images became known; `outdated` when the order on the server has
 * changed; `problem` (detail: the `Problem`) when a page could not be fetched.
 */
export class Pages extends EventTarget {
  #server;
  /**
   * Least recently used first.
   * @type {Map<number, GalleryImage[]>}
   */
  #pages = new Map();
  /** @type {Map<number, Promise<void>>} */
  #inFlight = new Map();
  /**
   * Pages to fetch, the most urgent first.
   * @type {number[]}
   */
  #wanted = [];
  /**
   * Runs after a failure; no request is sent until it ends.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #pause;
  /** The server has a newer order, so its answers no longer belong to this one. */
  #isOld = false;
  /** The newest revision announced so far. */
  #newest = 0;
  /** How often in a row the same order arrived again although a newer one was announced. */
  #repeats = 0;

  view = new View();
  /**
   * The number of images in the view; undefined until the first order has arrived.
   * @type {number | undefined}
   */
  total;
  /** @type {number | undefined} */
  revision;
  /**
   * The months of the order, if it is sorted by date.
   * @type {import('./server.js').Month[]}
   */
  months = [];
  /** The aspect ratios of the order's images. */
  shape = new Shape(null, 0);

  /** @param {Pick<import('./server.js').Server, 'page'>} server */
  constructor(server) {
    super();
    this.#server = server;
  }

  /**
   * The image at `index`, if its page is loaded.
   * @param {number} index
   * @returns {GalleryImage | undefined}
   */
  imageAt(index) {
    return this.#pages.get(pageOf(index))?.[index % pageSize];
  }

  /** Whether the server has a newer order. */
  get isOld() {
    return this.#isOld;
  }

  /**
   * The server announces the state of an order.
   * @param {string | undefined} view  Its text.
   * @param {number} revision
   * @param {number} total
   */
  checkAnnouncement(view, revision, total) {
    // A revision of 0 means that the server has not built the order yet.
    if (this.total === undefined || revision === 0 || !View.read(view).equals(this.view)) return;
    if (this.#compare(revision, total)) return;
    this.#isOld = false;
    this.#newest = 0;
  }

  /** Stops fetching: the link is needed for other things. */
  stopFetching() {
    this.#wanted = [];
  }

  /**
   * Reports the viewport; replaces the previous report.
   * @param {number} first
   * @param {number} last  Inclusive.
   * @param {number} direction  1 when travelling towards the end, -1 towards the beginning.
   */
  want(first, last, direction) {
    const top = pageOf(Math.max(0, first));
    const bottom = pageOf(Math.max(0, last));
    const wanted = [];
    for (let page = top; page <= bottom; page += 1) wanted.push(page);
    for (let step = 1; step <= pagesAhead; step += 1) wanted.push(direction < 0 ? top - step : bottom + step);
    wanted.push(direction < 0 ? bottom + 1 : top - 1);
    this.#wanted = wanted.filter((page) => page >= 0 && page * pageSize < (this.total ?? 0));
    for (const page of this.#wanted) this.#touch(page);
    // Nothing more can be learned of this order.
    if (this.#isOld && !(this.#pages.has(top) && this.#pages.has(bottom))) this.dispatchEvent(new Event('outdated'));
    this.#fetchNext();
  }

  /**
   * The image at `index`, fetched if necessary; undefined if there is none.
   * @param {number} index
   * @returns {Promise<GalleryImage | undefined>}
   */
  async load(index) {
    if (!this.imageAt(index)) await this.#fetch(pageOf(index));
    return this.imageAt(index);
  }

  /** Checks whether the order has changed, without fetching a page. */
  async checkRevision() {
    const { view } = this;
    const { revision, total } = await this.#server.page(view, 0, 1);
    if (view.equals(this.view)) this.#compare(revision, total);
  }

  /** Revalidates everything: the server may have been replaced meanwhile. */
  refresh() {
    this.#newest = 0;
    this.#compare(Number.NaN, 0);
  }

  /**
   * Replaces the displayed order by another one, or by a newer state of the same.
   * @param {import('./pending-order.js').PendingOrder} pending
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
    this.#inFlight = new Map();
    this.#wanted = [];
    this.#isOld = !move.isOtherView && this.#repeats < mostRepeats && this.#newest > (revision ?? 0);
    if (!this.#isOld) this.#newest = 0;
    this.dispatchEvent(new CustomEvent('order', { detail: move }));
    for (const [page, images] of pages) this.#announce(page, images);
    this.dispatchEvent(new Event('catalog'));
  }

  /** @param {import('./problem.js').Problem} problem  Why an order cannot be displayed. */
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
    for (const page of this.#wanted) {
      if (this.#inFlight.size >= maximumRequests) return;
      if (this.#inFlight.has(page) || this.#pages.has(page)) continue;
      this.#fetch(page).then(() => this.#fetchNext(), (problem) => this.#waitAfter(problem));
    }
  }

  /** @param {import('./problem.js').Problem} problem */
  #waitAfter(problem) {
    this.report(problem);
    this.#pause ??= setTimeout(() => this.#resume(), (problem.retryAfter ?? 0) * 1_000 || retryDelay);
  }

  #resume() {
    this.#pause = undefined;
    this.#fetchNext();
  }

  /**
   * Sends one request per page, however many callers want it.
   * @param {number} page
   */
  #fetch(page) {
    const inFlight = this.#inFlight;
    let fetching = inFlight.get(page);
    if (!fetching) {
      fetching = this.#fetchOnce(page).finally(() => inFlight.delete(page));
      inFlight.set(page, fetching);
    }
    return fetching;
  }

  /** @param {number} page */
  async #fetchOnce(page) {
    const inFlight = this.#inFlight;
    const { revision, total, images } = await this.#server.page(this.view, page * pageSize, pageSize);
    // Another order was adopted meanwhile.
    if (inFlight !== this.#inFlight) return;
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
    const first = page * pageSize;
    this.dispatchEvent(new CustomEvent('page', { detail: { first, last: first + images.length - 1 } }));
  }

  #evict() {
    for (const page of this.#pages.keys()) {
      if (this.#pages.size <= maximumPages) return;
      if (!this.#wanted.includes(page)) this.#pages.delete(page);
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
    this.dispatchEvent(new Event('outdated'));
    return true;
  }
}
