/** Milliseconds. */
const shortestInterval = 1_500;
const longestInterval = 20_000;

/**
 * Polls for changes of the catalog: often while it is growing, rarely at rest, and never while the server announces
 * changes itself.
 */
export class CatalogWatch {
  #pages;
  #transport;
  #pause = shortestInterval;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {import('./pages.js').Pages} pages
   * @param {{announcesChanges: boolean}} transport
   */
  constructor(pages, transport) {
    this.#pages = pages;
    this.#transport = transport;
    pages.addEventListener('catalog', () => this.#checkSoon());
    document.addEventListener('visibilitychange', () => this.#checkSoon());
  }

  #checkSoon() {
    this.#pause = shortestInterval;
    this.#schedule();
  }

  #schedule() {
    clearTimeout(this.#timer);
    if (!document.hidden) this.#timer = setTimeout(() => this.#check(), this.#pause);
  }

  async #check() {
    this.#pause = Math.min(longestInterval, this.#pause * 1.6);
    try {
      if (!this.#transport.announcesChanges) await this.#pages.checkRevision();
    } catch {
      // The connection is monitored elsewhere; here a failure only means to poll again later.
    }
    this.#schedule();
  }
}
