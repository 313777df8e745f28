/**
 * @typedef {{isListing: boolean, done: number, total: number}} Standing  While files are still being listed `total` is
 *   how many were found so far; after that `done` of them have been looked into.
 */

/**
 * How far the server is with the files of its folders. Dates and words are known of those that it has looked into, so an
 * order by date, and a search, are whole when it is through. It is asked when the catalog has changed, and then again
 * and again until it is; at rest never, and not while nobody looks at the page.
 *
 * Events: `change` when `standing` is another one, or when all is done of which something was told; `learnt` when more was
 * done than when it was asked before.
 */
export class Progress extends EventTarget {
  /** Milliseconds. */
  static #pace = 2_000;
  /** Where nothing goes forward: files that cannot be read now are tried again, ever more rarely. */
  static #latePace = 30_000;
  /** Answers without a step forward after which there is nothing to tell: of the listing, and of all. */
  static #patience = { listing: 2, all: 5 };

  #server;
  /** Answers in a row by which there was something left to do, and of those the last without a step forward. */
  #count = { busy: 0, still: 0 };
  #told = '';
  #isAsking = false;
  /** Something was told of what is being done. */
  #isTold = false;
  /** The catalog has changed since the server was asked. */
  #isOld = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /**
   * Null while there is nothing to tell: what is over sooner than one can read it is not told of.
   * @type {Standing | null}
   */
  standing = null;
  /** Whether all that there was has been done. */
  isThrough = true;

  /**
   * @param {Pick<import('./pages.js').Pages, 'addEventListener'>} pages
   * @param {Pick<import('./server.js').Server, 'status'>} server
   */
  constructor(pages, server) {
    super();
    this.#server = server;
    // The catalog may change many times a second; then the next look is near anyway.
    pages.addEventListener('catalog', () => this.#timer === undefined && this.#ask());
    document.addEventListener('visibilitychange', () => this.#schedule(0));
  }

  async #ask() {
    this.#isOld = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      this.#take(await this.#server.status());
      if (this.#isOld) this.#schedule(Progress.#pace);
    } catch {
      // The connection is watched elsewhere; here it only means to look again later.
      this.#schedule(Progress.#latePace);
    }
    this.#isAsking = false;
  }

  /** @param {import('./server.js').Status} status */
  #take({ scanning, total, examined }) {
    const left = examined ? examined.total - examined.done : 0;
    const told = JSON.stringify([total, examined]);
    this.isThrough = !scanning && left <= 0;
    this.#count.busy = this.isThrough ? 0 : this.#count.busy + 1;
    this.#count.still = told === this.#told ? this.#count.still + 1 : 0;
    const isMore = this.#told !== '' && told !== this.#told;
    this.#told = told;
    const isStuck = this.#count.still >= Progress.#patience.all;
    // Folders that are known are listed again now and then, and nothing comes of it.
    const isListing = scanning && this.#count.still < Progress.#patience.listing;
    if (this.#count.busy < 2 || isStuck) this.#change(null);
    else if (isListing) this.#change({ isListing, done: 0, total });
    else this.#change(examined && left > 0 ? { isListing: false, ...examined } : null);
    if (isMore) this.dispatchEvent(new Event('learnt'));
    if (!this.isThrough) this.#schedule(isStuck ? Progress.#latePace : Progress.#pace);
  }

  /** @param {Standing | null} standing */
  #change(standing) {
    const isEnd = this.#isTold && this.isThrough;
    if (!isEnd && JSON.stringify(standing) === JSON.stringify(this.standing)) return;
    this.standing = standing;
    this.#isTold = !this.isThrough;
    this.dispatchEvent(new Event('change'));
  }

  /** @param {number} pause */
  #schedule(pause) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (document.hidden) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ask();
    }, pause);
  }
}
