import { Lane } from './lane.js';

/**
 * @typedef {import('../stream/loader.js').StreamLoader} StreamLoader
 * @typedef {import('../stream/stream.js').Report} Report
 */

/**
 * The way by which pictures come to the page: the stream, or, where a WebSocket cannot be had, requests with tokens.
 * The page looks the same by either; `data-way` on the document says which one it is.
 *
 * Events: `room` when the link has room for pages of the catalog.
 */
export class Way extends EventTarget {
  /** A stream that has not opened by then is not waited for. Milliseconds. */
  static #patience = 4_000;
  /** So often in a row it may fail before the other way is taken. */
  static #failures = 2;
  /**
   * So long nothing may be heard of the stream until its server is asked whether it is there: while something on screen is
   * missing, or since it was told what is on screen, and else, when it may have nothing to say. Milliseconds.
   */
  static #silence = 3_000;
  static #longestSilence = 30_000;
  /** A server that takes no questions is taken for lost when so long nothing has come of what is missing. Milliseconds. */
  static #suspiciousSilence = 10_000;
  /** Between two looks at that. Milliseconds. */
  static #looks = 1_000;
  /** Screens a second; beyond, the link is for previews alone. */
  static #fast = 1;
  /** The longest that pages wait for pictures. Milliseconds. */
  static #longestWait = 1_000;

  #stream;
  #byStream;
  #connection;
  #pages;
  #isByStream = true;
  /** @type {Lane[]} */
  #lanes = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;
  /** Since when the scrolling has been slow. */
  #slowSince = 0;
  /** When the server was told last what is on screen. */
  #lookedAt = 0;
  #isFast = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #roomTimer;

  /**
   * @param {{stream: import('../stream/stream.js').Stream, byStream: StreamLoader,
   *   connection: import('../catalog/connection.js').Connection, pages: import('../catalog/pages.js').Pages}} parts
   */
  constructor({ stream, byStream, connection, pages }) {
    super();
    this.#stream = stream;
    this.#byStream = byStream;
    this.#connection = connection;
    this.#pages = pages;
    stream.addEventListener('open', () => this.#opened());
    stream.addEventListener('closed', (event) => this.#closed(/** @type {CustomEvent} */ (event).detail));
    stream.addEventListener('unavailable', () => this.#take(false));
    stream.addEventListener('catalog', (event) => {
      const { view, revision, total } = /** @type {CustomEvent} */ (event).detail;
      pages.hear(view, revision, total);
    });
    connection.addEventListener('restored', () => {
      stream.renew();
      this.#waitForStream();
    });
    connection.addEventListener('answered', () => stream.hasten());
    connection.addEventListener('lost', () => this.#doWithout());
    pages.addEventListener('page', () => connection.isLost && byStream.recall());
    setInterval(() => this.#listen(), Way.#looks);
    byStream.addEventListener('calm', () => this.dispatchEvent(new Event('room')));
    document.addEventListener('visibilitychange', () => this.#waitForStream());
    this.#waitForStream();
  }

  /**
   * @param {import('./loader.js').PictureLoader} byRequests  For where there is no stream.
   * @returns {Lane}
   */
  lane(byRequests) {
    const lane = new Lane(this.#byStream, byRequests);
    lane.take(this.#isByStream);
    this.#lanes.push(lane);
    return lane;
  }

  /** Whether the server tells of changes of the catalog by itself. */
  get isTold() {
    return this.#stream.isOpen;
  }

  /** Whether pages of the catalog may be fetched now: they share the link with the pictures on screen. */
  get hasRoomForPages() {
    if (!this.#isByStream) return true;
    if (this.#isFast || !this.#stream.isOpen) return false;
    return this.#byStream.isCalm || performance.now() - this.#slowSince > Way.#longestWait;
  }

  /**
   * What stands in the slot, as far as it is known: perhaps no more than its name.
   * @param {number} index
   */
  imageAt(index) {
    return this.#byStream.imageAt(index);
  }

  /**
   * The same with all that the catalog tells of it, fetched if need be; undefined if the gallery has none there.
   * @param {number} index
   */
  async load(index) {
    return (await this.#pages.load(index)) && this.imageAt(index);
  }

  /**
   * The same if it is here.
   * @param {number} index
   */
  knownAt(index) {
    return this.#pages.imageAt(index) && this.imageAt(index);
  }

  /** @param {Report} report  What is on screen now. */
  look(report) {
    const wasFast = this.#isFast;
    this.#lookedAt = performance.now();
    this.#isFast = report.velocity > Way.#fast * report.count;
    if (report.velocity === 0 || (wasFast && !this.#isFast)) {
      this.#slowSince = performance.now();
      clearTimeout(this.#roomTimer);
      this.#roomTimer = setTimeout(() => this.dispatchEvent(new Event('room')), Way.#longestWait + 1);
    }
    this.#byStream.show(report);
    if (this.#connection.isLost && report.velocity === 0) this.#byStream.recall();
  }

  /** No way leads to a server that is gone: what is held of the pictures comes from where the stream keeps it. */
  #doWithout() {
    if (!this.#stream.isAvailable) return;
    this.#take(true);
    this.#byStream.recall();
  }

  #opened() {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#take(true);
  }

  /** @param {{wasOpen: boolean, failures: number}} how */
  #closed({ wasOpen, failures }) {
    if (!this.#isByStream) return;
    // It may be the server that is gone, and not the stream alone.
    this.#connection.suspect();
    if (this.#connection.isLost) return;
    if (failures >= Way.#failures) this.#take(false);
    else if (wasOpen) this.#waitForStream();
  }

  /**
   * A server that stands still, and a network that went away without a word, leave a socket that looks open. Other
   * requests tell nothing of it, since with several nodes another one may answer them.
   */
  #listen() {
    if (document.hidden || !this.#stream.isOpen) return;
    const { heardAt } = this.#stream;
    const isAnswerDue = !this.#byStream.isCalm || this.#lookedAt > heardAt;
    const patience = isAnswerDue ? Way.#silence : Way.#longestSilence;
    const silence = performance.now() - heardAt;
    if (silence > patience) this.#stream.ask();
    if (silence > Way.#suspiciousSilence && !this.#byStream.isCalm && !this.#isFast) this.#connection.suspect();
  }

  /** After a while without a stream the other way is taken; while nobody looks there is no hurry. */
  #waitForStream() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      if (!this.#stream.isOpen && !document.hidden && !this.#connection.isLost) this.#take(false);
    }, Way.#patience);
  }

  /** @param {boolean} isByStream */
  #take(isByStream) {
    document.documentElement.dataset.way = isByStream ? 'stream' : 'http';
    if (isByStream === this.#isByStream) return;
    this.#isByStream = isByStream;
    for (const lane of this.#lanes) lane.take(isByStream);
    this.dispatchEvent(new Event('room'));
  }
}
