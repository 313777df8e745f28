import { Shape } from './shape.js';
import { undatedFrom } from './undated.js';

/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {import('./server.js').Timeline} Timeline
 * @typedef {import('./server.js').ShapeTold} ShapeTold
 * @typedef {import('./view.js').View} View
 */

/**
 * Of an order that is about to be shown: its pages around what will be on screen, what its images look like together and,
 * where it is sorted by the date that pictures were taken, its months; all of one revision. Nothing of it is seen before
 * it is whole.
 */
export class Draft {
  /** Images on a page. */
  static pageSize = 100;
  /** So often an order may change while its pages are read before pages of two revisions are put up with. */
  static #patience = 3;

  #server;
  /** @type {Map<string, number>} */
  #indexes = new Map();
  /** @type {Map<number, GalleryImage[]>} */
  pages = new Map();
  /**
   * Null where it cannot be had; then the order is shown without months.
   * @type {Timeline | null | undefined}
   */
  #timeline;
  /**
   * Null where it cannot be had; then all images are taken to be alike.
   * @type {ShapeTold | null | undefined}
   */
  #told;
  #isShapeLate = false;
  /**
   * The proportions of single images, by windows.
   * @type {Map<number, {revision: number | undefined, bytes: Uint8Array}>}
   */
  #ratios = new Map();
  /** @type {number | undefined} */
  revision;
  /** @type {number | undefined} */
  total;

  /**
   * @param {Pick<import('./server.js').Server, 'page' | 'timeline' | 'shape' | 'ratios'>} server
   * @param {View} view
   */
  constructor(server, view) {
    this.#server = server;
    this.view = view;
  }

  /**
   * Where the image stands, if that is among what was read.
   * @param {string} id
   */
  indexOf(id) {
    return this.#indexes.get(id);
  }

  /**
   * Whether all there is of this run was read.
   * @param {number} first
   * @param {number} last  Inclusive.
   */
  covers(first, last) {
    return this.#missing(first, last).length === 0 && this.#missingRatios(first, last).length === 0;
  }

  /** The months of the order, together as many images as it has; none where it is not sorted by them. */
  get months() {
    return this.#timeline ? fit(this.#timeline.months, this.total ?? 0) : [];
  }

  /** The first slot of the images that have no date, which are the last; 0 where nothing is known of dates. */
  get undatedFrom() {
    return this.#timeline ? undatedFrom(this.#timeline.months) : 0;
  }

  /** What the images of the order look like, as far as it was read. */
  get shape() {
    const { total = 0 } = this;
    const shape = new Shape(total > Shape.largest ? null : (this.#told ?? null), total);
    for (const [window, { bytes }] of this.#ratios) shape.put(window, bytes);
    const revisions = [this.#told ?? this, ...this.#ratios.values()].map(({ revision }) => revision);
    shape.isDoubtful = this.#isShapeLate || revisions.some((revision) => revision !== this.revision);
    return shape;
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive; both may lie beyond the ends.
   */
  async load(first, last) {
    for (let round = 0; round <= Draft.#patience; round += 1) {
      const missing = this.#missing(first, last);
      const windows = this.#missingRatios(first, last);
      if (missing.length === 0 && windows.length === 0 && this.#hasMonths && this.#hasShape) return;
      const isStrict = round < Draft.#patience;
      const pages = this.#loadPages(missing, isStrict);
      await Promise.all([pages, this.#loadMonths(), this.#loadShape(), ...windows.map((at) => this.#loadRatios(at))]);
      const told = this.#timeline?.revision ?? 0;
      if (isStrict && told > (this.revision ?? 0)) this.#clear();
    }
  }

  /**
   * @param {number[]} missing
   * @param {boolean} isStrict
   */
  async #loadPages(missing, isStrict) {
    const { pageSize } = Draft;
    const answers = await Promise.all(missing.map((page) => this.#server.page(this.view, page * pageSize, pageSize)));
    answers.forEach((answer, at) => this.#take(missing[at], answer, isStrict));
  }

  get #hasMonths() {
    if (this.view.sort !== 'taken' || this.#timeline === null) return true;
    return this.#timeline !== undefined && this.#timeline.revision === this.revision;
  }

  /** Without them there is an order all the same. */
  async #loadMonths() {
    if (!this.#hasMonths) this.#timeline = await this.#server.timeline(this.view).catch(() => null);
  }

  /** What is told of another revision is nearly right: nobody waits until all of it is of one. */
  get #hasShape() {
    return this.#told !== undefined;
  }

  /** Without it there is an order all the same; a server that was only too busy may tell it later. */
  async #loadShape() {
    if (this.#hasShape) return;
    this.#isShapeLate = false;
    this.#told = await this.#server.shape(this.view).catch((problem) => {
      this.#isShapeLate = !problem.isRefusal;
      return null;
    });
  }

  /** @param {number} window */
  async #loadRatios(window) {
    const asked = this.#server.ratios(this.view, window * Shape.window, Shape.window);
    this.#ratios.set(window, await asked.catch(() => noRatios));
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #missingRatios(first, last) {
    const { total = Infinity } = this;
    if (this.#told === null || total === 0) return [];
    const from = Math.floor(Math.max(0, Math.min(first, total - 1)) / Shape.window);
    const to = Math.floor(Math.max(0, Math.min(last, total - 1)) / Shape.window);
    const windows = [];
    for (let at = from; at <= to; at += 1) if (!this.#ratios.has(at)) windows.push(at);
    return windows;
  }

  /** What was read is of another revision. */
  #clear() {
    this.pages.clear();
    this.#ratios.clear();
    if (this.#told) this.#told = undefined;
    this.#indexes.clear();
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #missing(first, last) {
    const { total } = this;
    const end = total === undefined ? Infinity : total - 1;
    const missing = [];
    if (total !== 0) {
      const from = pageOf(Math.max(0, Math.min(first, end)));
      const to = pageOf(Math.max(0, Math.min(last, end)));
      for (let page = from; page <= to; page += 1) if (!this.pages.has(page)) missing.push(page);
    }
    return missing;
  }

  /**
   * @param {number} page
   * @param {import('./server.js').Page} answer
   * @param {boolean} isStrict  Whether what was read of another revision goes.
   */
  #take(page, { revision, total, images }, isStrict) {
    if (isStrict && this.revision !== undefined && revision !== this.revision) this.#clear();
    this.revision = revision;
    this.total = total;
    // A page beyond the end says only where the end is.
    if (images.length === 0 && page > 0) return;
    this.pages.set(page, images);
    images.forEach(({ id }, at) => this.#indexes.set(id, page * Draft.pageSize + at));
  }
}

/** Of images of which nothing can be learnt. */
const noRatios = { revision: undefined, bytes: new Uint8Array(0) };

/** @param {number} index */
export function pageOf(index) {
  return Math.floor(index / Draft.pageSize);
}

/**
 * Months of an order that has changed since are nearly right: they are cut, or the last of them goes on to the end.
 * @param {import('./server.js').Month[]} months
 * @param {number} total
 */
function fit(months, total) {
  const fitting = months.filter(({ first, count }) => first < total && count > 0);
  return fitting.map(({ month, first }, at) => ({ month, first, count: (fitting[at + 1]?.first ?? total) - first }));
}
