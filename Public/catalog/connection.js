/**
 * Whether the gallery's server can be reached. Others report their doubts; this asks the server itself, and when it
 * does not answer keeps asking, ever more slowly, until it does.
 *
 * Events: `lost`, `waiting` (detail: `{seconds, isAnswered}`, until the next try, and whether there was an answer, which
 * said that the server cannot serve yet), `restored`, and `answered` whenever a doubt proved unfounded or is over.
 */
export class Connection extends EventTarget {
  static #probed = '/healthz';
  static #probeTimeout = 5_000;
  static #firstPause = 1_000;
  static #longestPause = 15_000;

  #isLost = false;
  #isProbing = false;
  #pause = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    super();
    addEventListener('online', () => this.tryNow());
    addEventListener('offline', () => this.suspect());
  }

  /** Known not to be reached. */
  get isLost() {
    return this.#isLost;
  }

  /** Lost, or under suspicion: nothing new should be asked for until `answered`. */
  get isDoubtful() {
    return this.#isLost || this.#isProbing;
  }

  /** A request failed without an answer: find out whether that is the server or only the request. */
  suspect() {
    if (!this.#isLost) this.#ask();
  }

  /** Somebody would rather not wait for the next try. */
  tryNow() {
    if (!this.#isLost) return;
    clearTimeout(this.#timer);
    this.#pause = 0;
    this.#ask();
  }

  async #ask() {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const status = await this.#probe();
    this.#isProbing = false;
    if (status !== null && status < 500) this.#found();
    else this.#missed({ isAnswered: status !== null });
  }

  /** @returns {Promise<number | null>}  Null where nobody answers. */
  async #probe() {
    try {
      const { status } = await fetch(Connection.#probed, {
        cache: 'no-store',
        signal: AbortSignal.timeout(Connection.#probeTimeout),
      });
      return status;
    } catch {
      return null;
    }
  }

  #found() {
    const wasLost = this.#isLost;
    this.#isLost = false;
    this.#pause = 0;
    if (wasLost) this.dispatchEvent(new Event('restored'));
    this.dispatchEvent(new Event('answered'));
  }

  /** @param {{isAnswered: boolean}} how */
  #missed({ isAnswered }) {
    if (!this.#isLost) {
      this.#isLost = true;
      this.dispatchEvent(new Event('lost'));
    }
    this.#pause = Math.min(Connection.#longestPause, this.#pause * 2 || Connection.#firstPause);
    this.#timer = setTimeout(() => this.#ask(), this.#pause);
    this.dispatchEvent(new CustomEvent('waiting', { detail: { seconds: Math.round(this.#pause / 1_000), isAnswered } }));
  }
}
