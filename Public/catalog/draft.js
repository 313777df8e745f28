/**
 * @typedef {import('./server.js').GalleryImage} GalleryImage
 * @typedef {import('./view.js').View} View
 */

/**
 * Of an order that is about to be shown: its pages around what will be on screen, all of one revision. Nothing of it is
 * seen before it is whole.
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
  /** @type {number | undefined} */
  revision;
  /** @type {number | undefined} */
  total;

  /**
   * @param {Pick<import('./server.js').Server, 'page'>} server
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
    return this.#missing(first, last).length === 0;
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive; both may lie beyond the ends.
   */
  async load(first, last) {
    for (let round = 0; round <= Draft.#patience; round += 1) {
      const missing = this.#missing(first, last);
      if (missing.length === 0) return;
      const { pageSize } = Draft;
      const answers = await Promise.all(missing.map((page) => this.#server.page(this.view, page * pageSize, pageSize)));
      answers.forEach((answer, at) => this.#take(missing[at], answer, round < Draft.#patience));
    }
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
    if (isStrict && this.revision !== undefined && revision !== this.revision) {
      this.pages.clear();
      this.#indexes.clear();
    }
    this.revision = revision;
    this.total = total;
    // A page beyond the end says only where the end is.
    if (images.length === 0 && page > 0) return;
    this.pages.set(page, images);
    images.forEach(({ id }, at) => this.#indexes.set(id, page * Draft.pageSize + at));
  }
}

/** @param {number} index */
export function pageOf(index) {
  return Math.floor(index / Draft.pageSize);
}
