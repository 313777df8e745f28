/**
 * Looks now and then whether the catalog has changed: often while it is growing, rarely once it is at rest. While the
 * server tells of it unasked, never.
 */
export class CatalogWatch {
  static #soon = 1_500;
  static #late = 20_000;

  #pages;
  #way;
  #pause = CatalogWatch.#soon;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {import('./pages.js').Pages} pages
   * @param {{isTold: boolean}} way
   */
  constructor(pages, way) {
    this.#pages = pages;
    this.#way = way;
    pages.addEventListener('catalog', () => this.#lookSoon());
    document.addEventListener('visibilitychange', () => this.#lookSoon());
  }

  #lookSoon() {
    this.#pause = CatalogWatch.#soon;
    this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    if (!document.hidden) this.#timer = setTimeout(() => this.#look(), this.#pause);
  }

  async #look() {
    this.#pause = Math.min(CatalogWatch.#late, this.#pause * 1.6);
    try {
      if (!this.#way.isTold) await this.#pages.checkRevision();
    } catch {
      // The connection is watched elsewhere; here it only means to look again later.
    }
    this.#schedule();
  }
}
