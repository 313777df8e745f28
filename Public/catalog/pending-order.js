import { Unreachable } from './server.js';
import { Shape, mostShapedImages, ratiosPerWindow } from './shape.js';
import { undatedFrom } from './undated.js';

/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {import('./server.js').Timeline} Timeline
 * @typedef {import('./server.js').ShapeTold} ShapeTold
 * @typedef {import('./view.js').View} View
 */

/** How often an order may change while its pages are read, before pages of two revisions are accepted. */
const strictRounds = 3;
/** Images per page. */
export const pageSize = 100;

/**
 * An order that is about to be displayed: its pages around the future viewport, its shape and, if it is sorted by date,
 * its months; all of one revision. Nothing of it is displayed until it is complete.
 */
export class PendingOrder {
  #server;
  /** @type {Map<string, number>} */
  #indexes = new Map();
  /** @type {Map<number, GalleryImage[]>} */
  pages = new Map();
  /**
   * Pages of a partial order for which there was no answer.
   * @type {Set<number>}
   */
  #unreachable = new Set();
  /**
   * Null if it is not available; then the order is displayed without months.
   * @type {Timeline | null | undefined}
   */
  #timeline;
  /**
   * Null if it is not available; then all images are assumed to have the same aspect ratio.
   * @type {ShapeTold | null | undefined}
   */
  #shapeResponse;
  #isShapeLate = false;
  #isPartial;
  /**
   * The aspect ratios of single images, by window.
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
   * @param {{isPartial?: boolean}} how  Whether it will do with some of its pages: while the server is out of reach,
   *   only some are stored.
   */
  constructor(server, view, { isPartial = false } = {}) {
    this.#server = server;
    this.#isPartial = isPartial;
    this.view = view;
  }

  /**
   * The position of an image, if it is among those that were read.
   * @param {string} id
   */
  indexOf(id) {
    return this.#indexes.get(id);
  }

  /**
   * Whether the whole run has been read, as far as it exists.
   * @param {number} first
   * @param {number} last  Inclusive.
   */
  covers(first, last) {
    return this.#missing(first, last).length === 0 && this.#missingRatios(first, last).length === 0;
  }

  /** The months of the order, adding up to all its images; empty if it is not sorted by date. */
  get months() {
    return this.#timeline ? fit(this.#timeline.months, this.total ?? 0) : [];
  }

  /** The first slot of the images without a date, which are the last ones; 0 if no dates are known. */
  get undatedFrom() {
    return this.#timeline ? undatedFrom(this.#timeline.months) : 0;
  }

  /** The shape of the order, as far as it was read. */
  get shape() {
    const { total = 0 } = this;
    const shape = new Shape(total > mostShapedImages ? null : (this.#shapeResponse ?? null), total);
    for (const [window, { bytes }] of this.#ratios) shape.put(window, bytes);
    const revisions = [this.#shapeResponse ?? this, ...this.#ratios.values()].map(({ revision }) => revision);
    shape.isDoubtful = this.#isShapeLate || revisions.some((revision) => revision !== this.revision);
    return shape;
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive; both may lie beyond the ends.
   */
  async load(first, last) {
    for (let round = 0; round <= strictRounds; round += 1) {
      const missing = this.#missing(first, last);
      const windows = this.#missingRatios(first, last);
      if (missing.length === 0 && windows.length === 0 && this.#hasMonths && this.#hasShape) return;
      const isStrict = round < strictRounds;
      const pages = this.#loadPages(missing, isStrict);
      await Promise.all([pages, this.#loadMonths(), this.#loadShape(), ...windows.map((at) => this.#loadRatios(at))]);
      const known = this.#timeline?.revision ?? 0;
      if (isStrict && known > (this.revision ?? 0)) this.#clear();
    }
  }

  /**
   * @param {number[]} missing
   * @param {boolean} isStrict
   */
  async #loadPages(missing, isStrict) {
    const asked = missing.map((page) => this.#server.page(this.view, page * pageSize, pageSize));
    const answers = await Promise.allSettled(asked);
    /** @type {unknown[]} */
    const problems = [];
    answers.forEach((answer, at) => {
      if (answer.status === 'fulfilled') this.#take(missing[at], answer.value, isStrict);
      else problems.push(answer.reason);
    });
    const isEnough = this.#isPartial && this.total !== undefined;
    const fatal = problems.find((problem) => !(isEnough && problem instanceof Unreachable));
    if (fatal) throw fatal;
    answers.forEach(({ status }, at) => status === 'rejected' && this.#unreachable.add(missing[at]));
  }

  get #hasMonths() {
    if (!this.view.order.hasMonths || this.#timeline === null) return true;
    return this.#timeline !== undefined && this.#timeline.revision === this.revision;
  }

  /** The order can do without months. */
  async #loadMonths() {
    if (!this.#hasMonths) this.#timeline = await this.#server.timeline(this.view).catch(() => null);
  }

  /** A shape of another revision is nearly right; nobody waits until all revisions agree. */
  get #hasShape() {
    return this.#shapeResponse !== undefined;
  }

  /** The order can do without its shape; a server that was only busy may send it later. */
  async #loadShape() {
    if (this.#hasShape) return;
    this.#isShapeLate = false;
    this.#shapeResponse = await this.#server.shape(this.view).catch((problem) => {
      this.#isShapeLate = !problem.isRefusal;
      return null;
    });
  }

  /** @param {number} window */
  async #loadRatios(window) {
    const asked = this.#server.ratios(this.view, window * ratiosPerWindow, ratiosPerWindow);
    this.#ratios.set(window, await asked.catch(() => noRatios));
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #missingRatios(first, last) {
    const { total = Infinity } = this;
    if (this.#shapeResponse === null || total === 0) return [];
    const from = Math.floor(Math.max(0, Math.min(first, total - 1)) / ratiosPerWindow);
    const to = Math.floor(Math.max(0, Math.min(last, total - 1)) / ratiosPerWindow);
    const windows = [];
    for (let at = from; at <= to; at += 1) if (!this.#ratios.has(at)) windows.push(at);
    return windows;
  }

  /** Everything that was read belongs to another revision. */
  #clear() {
    this.pages.clear();
    this.#ratios.clear();
    if (this.#shapeResponse) this.#shapeResponse = undefined;
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
      for (let page = from; page <= to; page += 1) missing.push(page);
    }
    return missing.filter((page) => !this.pages.has(page) && !this.#unreachable.has(page));
  }

  /**
   * @param {number} page
   * @param {import('./server.js').Page} answer
   * @param {boolean} isStrict  Whether to discard what was read of another revision.
   */
  #take(page, { revision, total, images }, isStrict) {
    if (isStrict && this.revision !== undefined && revision !== this.revision) this.#clear();
    this.revision = revision;
    this.total = total;
    // A page beyond the end only tells where the end is.
    if (images.length === 0 && page > 0) return;
    this.pages.set(page, images);
    images.forEach(({ id }, at) => this.#indexes.set(id, page * pageSize + at));
  }
}

/** For images whose aspect ratio cannot be fetched. */
const noRatios = { revision: undefined, bytes: new Uint8Array(0) };

/** @param {number} index */
export function pageOf(index) {
  return Math.floor(index / pageSize);
}

/**
 * Months of another revision are nearly right: they are cut, or the last one is extended to the end.
 * @param {import('./server.js').Month[]} months
 * @param {number} total
 */
function fit(months, total) {
  const fitting = months.filter(({ first, count }) => first < total && count > 0);
  return fitting.map(({ month, first }, at) => ({ month, first, count: (fitting[at + 1]?.first ?? total) - first }));
}
