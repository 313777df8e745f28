import { needsSame, pixelsNeeded, pixelsOf, renditionWith } from './sizes.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./loader.js').PictureLoader} PictureLoader
 * @typedef {import('../stream/loader.js').StreamLoader} StreamLoader
 * @typedef {import('../stream/stream.js').Report} Report
 */

/**
 * The way by which pictures come to the grid: the stream, or, where a WebSocket cannot be had, requests with tokens.
 * The page looks the same by either; `data-way` on the document says which one it is.
 *
 * Events: `room` when the link has room for pages of the catalog.
 */
export class Way extends EventTarget {
  /** A stream that has not opened by then is not waited for. Milliseconds. */
  static #patience = 4_000;
  /** So often in a row it may fail before the other way is taken. */
  static #failures = 2;
  /** So long nothing may be heard while something on screen is missing. Milliseconds. */
  static #silence = 10_000;
  /** Screens a second; beyond, the link is for previews alone. */
  static #fast = 1;
  /** The longest that pages wait for pictures. Milliseconds. */
  static #longestWait = 1_000;

  #stream;
  #byStream;
  #byRequests;
  #connection;
  #pages;
  /** @type {StreamLoader | PictureLoader} */
  #present;
  /** @type {Set<Slot>} */
  #slots = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;
  /** @type {Report | null} */
  #report = null;
  /** Since when the scrolling has been slow. */
  #slowSince = 0;
  #isFast = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #roomTimer;

  /**
   * @param {{stream: import('../stream/stream.js').Stream, byStream: StreamLoader, byRequests: PictureLoader,
   *   connection: import('../catalog/connection.js').Connection, pages: import('../catalog/pages.js').Pages}} parts
   */
  constructor({ stream, byStream, byRequests, connection, pages }) {
    super();
    this.#stream = stream;
    this.#byStream = byStream;
    this.#byRequests = byRequests;
    this.#connection = connection;
    this.#pages = pages;
    this.#present = byStream;
    stream.addEventListener('open', () => this.#opened());
    stream.addEventListener('closed', (event) => this.#closed(/** @type {CustomEvent} */ (event).detail));
    stream.addEventListener('unavailable', () => this.#take(this.#byRequests));
    stream.addEventListener('catalog', (event) => {
      const { view, revision, total } = /** @type {CustomEvent} */ (event).detail;
      pages.hear(view, revision, total);
    });
    connection.addEventListener('restored', () => {
      stream.renew();
      this.#waitForStream();
    });
    connection.addEventListener('lost', () => this.#doWithout());
    pages.addEventListener('page', () => connection.isLost && byStream.recall());
    setInterval(() => this.#listen(), Way.#silence / 2);
    byStream.addEventListener('calm', () => this.dispatchEvent(new Event('room')));
    document.addEventListener('visibilitychange', () => this.#waitForStream());
    this.#waitForStream();
  }

  /** Whether the server tells of changes of the catalog by itself. */
  get isTold() {
    return this.#stream.isOpen;
  }

  /** Whether pages of the catalog may be fetched now: they share the link with the pictures on screen. */
  get hasRoomForPages() {
    if (this.#present !== this.#byStream) return true;
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

  /** @param {Slot} slot */
  request(slot) {
    this.#slots.add(slot);
    slot.rendition = this.#renditionOf(slot);
    this.#present.request(slot);
  }

  /**
   * What a slot of the grid needs of its picture; the stream's server finds that by itself.
   * @param {Slot} slot
   * @returns {import('../catalog/server.js').Rendition}
   */
  #renditionOf({ image }) {
    if (!this.#report) return 'tile';
    const { pixels, side, saveData } = this.#report;
    const place = { width: side === 'height' ? Infinity : pixels, height: pixels };
    const needed = pixelsNeeded(place, { fit: side === 'shorter' ? 'cover' : 'contain', density: 1, picture: image });
    return renditionWith(Math.min(needed, pixelsOf(saveData ? 'tile' : '2560')), image);
  }

  /** Slots have grown: what is shown in them, or asked for, is not sharp any more. */
  #refine() {
    for (const slot of this.#slots) {
      const pixels = slot.phase === 'shown' ? slot.pixels : pixelsOf(slot.rendition);
      if (slot.phase === 'failed' || pixelsOf(this.#renditionOf(slot)) <= pixels) continue;
      this.#beginAgain(slot);
    }
  }

  /**
   * @param {Slot} slot
   * @param {StreamLoader | PictureLoader} [before]  By whom it was loaded so far.
   */
  #beginAgain(slot, before = this.#present) {
    const { number, image } = slot;
    before.release(slot);
    slot.begin(number, image);
    this.request(slot);
  }

  /** @param {Slot} slot */
  release(slot) {
    this.#slots.delete(slot);
    this.#present.release(slot);
  }

  /**
   * The slot's picture stands elsewhere in the order now.
   * @param {Slot} slot
   * @param {number} number
   */
  renumber(slot, number) {
    if (this.#present === this.#byStream) this.#byStream.renumber(slot, number);
    else slot.number = number;
  }

  /** @param {Slot} slot */
  retry(slot) {
    this.#present.retry(slot);
  }

  /** @param {boolean} isHeld  While true nothing new is ordered; the stream knows by itself. */
  hold(isHeld) {
    this.#byRequests.hold(isHeld);
  }

  /** What is on screen has changed. */
  reorder() {
    if (this.#present === this.#byRequests) this.#byRequests.reorder();
  }

  /** @param {Report} report  What is on screen now. */
  look(report) {
    const before = this.#report;
    this.#report = report;
    if (this.#present === this.#byRequests && !(before && needsSame(before, report))) this.#refine();
    const wasFast = this.#isFast;
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
    this.#take(this.#byStream);
    this.#byStream.recall();
  }

  #opened() {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#take(this.#byStream);
  }

  /** @param {{wasOpen: boolean, failures: number}} how */
  #closed({ wasOpen, failures }) {
    if (this.#present !== this.#byStream) return;
    // It may be the server that is gone, and not the stream alone.
    this.#connection.suspect();
    if (this.#connection.isLost) return;
    if (failures >= Way.#failures) this.#take(this.#byRequests);
    else if (wasOpen) this.#waitForStream();
  }

  /** A network that went away without a word leaves a socket that looks open: if something is missing, ask. */
  #listen() {
    if (document.hidden || !this.#stream.isOpen || this.#byStream.isCalm || this.#isFast) return;
    if (performance.now() - this.#stream.heardAt > Way.#silence) this.#connection.suspect();
  }

  /** After a while without a stream the other way is taken; while nobody looks there is no hurry. */
  #waitForStream() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      if (!this.#stream.isOpen && !document.hidden && !this.#connection.isLost) this.#take(this.#byRequests);
    }, Way.#patience);
  }

  /** @param {StreamLoader | PictureLoader} next */
  #take(next) {
    document.documentElement.dataset.way = next === this.#byStream ? 'stream' : 'http';
    const before = this.#present;
    if (next === before) return;
    this.#present = next;
    for (const slot of this.#slots) {
      if (slot.phase === 'shown' || slot.phase === 'failed') {
        if (next === this.#byStream) this.#byStream.adopt(slot);
        continue;
      }
      this.#beginAgain(slot, before);
    }
    this.dispatchEvent(new Event('room'));
  }
}
