const probePath = 'healthz';
const probeTimeout = 5_000;
const firstPause = 1_000;
const longestPause = 15_000;

/**
 * Monitors whether the gallery's server can be reached. Other parts report suspicions; this class then probes the
 * server and, if there is no answer, keeps probing with growing pauses until there is one.
 *
 * Events: `lost`, `waiting` (detail: `{seconds, isAnswered}`: the time until the next probe, and whether the server
 * answered that it cannot serve yet), `restored`, and `answered` whenever a suspicion proved wrong or is over.
 */
export class Connection extends EventTarget {
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

  /** Whether the server is known to be unreachable. */
  get isLost() {
    return this.#isLost;
  }

  /** Whether the server is lost or under suspicion: send nothing new until `answered`. */
  get isDoubtful() {
    return this.#isLost || this.#isProbing;
  }

  /** A request failed without a response: find out whether the server or only the request failed. */
  suspect() {
    if (!this.#isLost) this.#ask();
  }

  /** The user does not want to wait for the next probe. */
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
      const { status } = await fetch(probePath, {
        cache: 'no-store',
        signal: /** @type {AbortSignalConstructor} */ (AbortSignal).timeout(probeTimeout),
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
    this.#pause = Math.min(longestPause, this.#pause * 2 || firstPause);
    this.#timer = setTimeout(() => this.#ask(), this.#pause);
    this.dispatchEvent(new CustomEvent('waiting', { detail: { seconds: Math.round(this.#pause / 1_000), isAnswered } }));
  }
}
