/**
 * @typedef {{isListing: boolean, done: number, total: number}} ProgressState  While files are being listed, `total` is
 *   the number found so far; afterwards `done` of them have been indexed.
 */

/** Milliseconds. */
const pollInterval = 2_000;
/** The pause while nothing advances: files that cannot be read now are retried less and less often. Milliseconds. */
const idlePollInterval = 30_000;
/** How many polls without progress end the report of the listing, and the report of all work. */
const mostIdlePolls = { listing: 2, all: 5 };

/**
 * How far the server has indexed the files of its folders. Dates and searchable text are known only for indexed files,
 * so an order by date, or a search, is complete when indexing is. The server is polled after a change of the catalog
 * until it is done; never at rest, and never while the page is hidden.
 *
 * Events: `change` when `state` changes, or when work that was reported is complete; `learnt` when more files were
 * indexed than at the previous poll; `notShown`, `problems`, and `defaultView` when the property of that name changes.
 */
export class Progress extends EventTarget {
  #server;
  /** Consecutive polls with work left, and the most recent of these without progress. */
  #count = { busy: 0, still: 0 };
  #lastReport = '';
  #isAsking = false;
  /** Whether the work in hand was reported. */
  #isReported = false;
  /** The catalog has changed since the last poll. */
  #isOld = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /**
   * Null while there is nothing to report; work that ends too soon to be read about is not reported.
   * @type {ProgressState | null}
   */
  state = null;
  /**
   * The files that are not shown because of their kind, as of the last poll.
   * @type {import('./server.js').NotShown}
   */
  notShown = { count: 0, kinds: [] };
  /**
   * What is wrong with the gallery's sources, as of the last poll: the first sentences about it.
   * @type {string[]}
   */
  problems = [];
  /**
   * The query of the view in which the gallery opens, as of the last poll.
   * @type {string | undefined}
   */
  defaultView;
  /** Whether all work is done. */
  isThrough = true;

  /**
   * @param {Pick<import('./pages.js').Pages, 'addEventListener'>} pages
   * @param {Pick<import('./server.js').Server, 'status'>} server
   */
  constructor(pages, server) {
    super();
    this.#server = server;
    // The catalog may change many times a second; the next poll is near anyway.
    pages.addEventListener('catalog', () => this.#timer === undefined && this.#ask());
    document.addEventListener('visibilitychange', () => this.#schedule(0));
  }

  async #ask() {
    this.#isOld = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      this.#take(await this.#server.status());
      if (this.#isOld) this.#schedule(pollInterval);
    } catch {
      // The connection is monitored elsewhere; here a failure only means to poll again later.
      this.#schedule(idlePollInterval);
    }
    this.#isAsking = false;
  }

  /** @param {import('./server.js').Status} status */
  #take({ scanning, total, examined, notShown = this.notShown, problems, defaultView = this.defaultView }) {
    const sentences = problems?.first ?? [];
    if (sentences.join() !== this.problems.join()) {
      this.problems = sentences;
      this.dispatchEvent(new Event('problems'));
    }
    if (defaultView !== this.defaultView) {
      this.defaultView = defaultView;
      this.dispatchEvent(new Event('defaultView'));
    }
    if (JSON.stringify(notShown) !== JSON.stringify(this.notShown)) {
      this.notShown = notShown;
      this.dispatchEvent(new Event('notShown'));
    }
    const left = examined ? examined.total - examined.done : 0;
    const report = JSON.stringify([total, examined]);
    this.isThrough = !scanning && left <= 0;
    this.#count.busy = this.isThrough ? 0 : this.#count.busy + 1;
    this.#count.still = report === this.#lastReport ? this.#count.still + 1 : 0;
    const isMore = this.#lastReport !== '' && report !== this.#lastReport;
    this.#lastReport = report;
    const isStuck = this.#count.still >= mostIdlePolls.all;
    // Known folders are listed again from time to time, without result.
    const isListing = scanning && this.#count.still < mostIdlePolls.listing;
    if (this.#count.busy < 2 || isStuck) this.#change(null);
    else if (isListing) this.#change({ isListing, done: 0, total });
    else this.#change(examined && left > 0 ? { isListing: false, ...examined } : null);
    if (isMore) this.dispatchEvent(new Event('learnt'));
    if (!this.isThrough) this.#schedule(isStuck ? idlePollInterval : pollInterval);
    // The server decides on its default view a moment after the last file.
    else if (isMore) this.#schedule(pollInterval);
  }

  /** @param {ProgressState | null} state */
  #change(state) {
    const isEnd = this.#isReported && this.isThrough;
    if (!isEnd && JSON.stringify(state) === JSON.stringify(this.state)) return;
    this.state = state;
    this.#isReported = !this.isThrough;
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
