import { Unreachable } from './server.js';

/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {{images: GalleryImage[], revision: number, fetchedAt: number}} HeldPage  Milliseconds of the page's clock.
 */

/**
 * What the catalog says of the images, a page at a time: a bounded cache, filled for what is on screen first and then
 * ahead in the direction of travel. Only the newest wish counts; pages that nobody wants any more are never asked for.
 *
 * Events: `catalog` when the total or the revision changed, `page` (detail: `{first, last}`) when images became known,
 * `problem` (detail: the `Problem`) when a page could not be had.
 */
export class Pages extends EventTarget {
  static size = 100;
  static #kept = 64;
  static #requests = 2;
  static #ahead = 2;
  static #patience = 2_000;
  /** While the catalog is being read its revision runs; pages follow it at this pace, not at the network's. */
  static #refreshPause = 1_000;

  #server;
  /**
   * In order of use, the least recent first.
   * @type {Map<number, HeldPage>}
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
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #refresh;

  /**
   * How many images the gallery has; undefined until the first page has come.
   * @type {number | undefined}
   */
  total;
  /** @type {number | undefined} */
  revision;

  /** @param {import('./server.js').Server} server */
  constructor(server) {
    super();
    this.#server = server;
  }

  /**
   * The image at `index`, if its page is here. A page of an older revision still answers until the new one has come.
   * @param {number} index
   * @returns {GalleryImage | undefined}
   */
  imageAt(index) {
    return this.#pages.get(pageOf(index))?.images[index % Pages.size];
  }

  /**
   * Of the page that holds `index`; undefined while it is not here.
   * @param {number} index
   */
  revisionAt(index) {
    return this.#pages.get(pageOf(index))?.revision;
  }

  /**
   * The server says, unasked, what the catalog is now.
   * @param {number} revision
   * @param {number} total
   */
  hear(revision, total) {
    // Before the first page has come nobody knows where in the gallery to begin.
    if (this.total === undefined) return;
    this.#learn(revision, total);
    this.#fetchNext();
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
    this.#wishes = wishes.filter((page) => this.#exists(page));
    for (const page of this.#wishes) this.#touch(page);
    this.#fetchNext();
  }

  /**
   * The image at `index`, fetched if need be; undefined if the gallery has none there.
   * @param {number} index
   * @returns {Promise<GalleryImage | undefined>}
   */
  async load(index) {
    if (!this.imageAt(index)) await this.#fetch(pageOf(index));
    return this.imageAt(index);
  }

  /** Asks whether the catalog has changed, without fetching a page. */
  async checkRevision() {
    const { revision, total } = await this.#server.page(0, 1);
    this.#learn(revision, total);
    this.#fetchNext();
  }

  /** Trusts nothing that was learnt before: the server may have been another one meanwhile. */
  refresh() {
    for (const page of this.#pages.values()) Object.assign(page, { revision: Number.NaN, fetchedAt: -Infinity });
    this.#fetchNext();
  }

  /** @param {number} page */
  #exists(page) {
    if (page < 0) return false;
    return this.total === undefined ? page === 0 || this.#pages.size === 0 : page * Pages.size < this.total;
  }

  /**
   * Milliseconds until the page should be fetched; infinite when what is held is good.
   * @param {number} page
   */
  #dueIn(page) {
    const held = this.#pages.get(page);
    if (!held) return 0;
    if (held.revision === this.revision) return Infinity;
    return Math.max(0, held.fetchedAt + Pages.#refreshPause - performance.now());
  }

  /** @param {number} page */
  #touch(page) {
    const held = this.#pages.get(page);
    if (!held) return;
    this.#pages.delete(page);
    this.#pages.set(page, held);
  }

  #fetchNext() {
    if (this.#pause !== undefined) return;
    let soonest = Infinity;
    for (const page of this.#wishes) {
      if (this.#underWay.size >= Pages.#requests) return;
      if (this.#underWay.has(page)) continue;
      const due = this.#dueIn(page);
      if (due > 0) soonest = Math.min(soonest, due);
      else this.#fetch(page).then(() => this.#fetchNext(), (problem) => this.#waitAfter(problem));
    }
    clearTimeout(this.#refresh);
    if (soonest < Infinity) this.#refresh = setTimeout(() => this.#fetchNext(), soonest);
  }

  /** @param {import('./problem.js').Problem} problem */
  #waitAfter(problem) {
    if (!(problem instanceof Unreachable)) this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
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
    let fetching = this.#underWay.get(page);
    if (!fetching) {
      fetching = this.#fetchOnce(page).finally(() => this.#underWay.delete(page));
      this.#underWay.set(page, fetching);
    }
    return fetching;
  }

  /** @param {number} page */
  async #fetchOnce(page) {
    const first = page * Pages.size;
    const { revision, total, images } = await this.#server.page(first, Pages.size);
    this.#pages.delete(page);
    this.#pages.set(page, { images, revision, fetchedAt: performance.now() });
    this.#evict();
    this.#learn(revision, total);
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
   */
  #learn(revision, total) {
    if (revision === this.revision && total === this.total) return;
    this.revision = revision;
    this.total = total;
    this.dispatchEvent(new Event('catalog'));
  }
}

/** @param {number} index */
function pageOf(index) {
  return Math.floor(index / Pages.size);
}
