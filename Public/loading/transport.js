import { isBrisk } from '../stream/pace.js';
import { SlotGroup } from './slot-group.js';

/**
 * @typedef {import('../stream/stream-loader.js').StreamLoader} StreamLoader
 * @typedef {import('../stream/stream.js').Report} Report
 */

/** How long to wait for a stream to open. Milliseconds. */
const openTimeout = 4_000;
/** How often in a row the stream may fail before token requests take over. */
const toleratedFailures = 2;
/**
 * How long the stream may be silent before the page asks the server whether it is alive: `shortSilence` while an image on
 * screen is missing or after a viewport report, `longestSilence` while there may be nothing to send. Milliseconds.
 */
const shortSilence = 3_000;
const longestSilence = 30_000;
/**
 * How long missing images may fail to arrive before a server that answers no pings is considered lost. Milliseconds.
 */
const suspiciousSilence = 10_000;
/** The interval of these checks. Milliseconds. */
const checkInterval = 1_000;
/** The longest that pages of the catalog wait for images. Milliseconds. */
const longestWait = 1_000;

/**
 * How renditions reach the page: by the stream, or by token requests if no WebSocket is available. The page looks the
 * same with both; `data-transport` on the document says which one is in use.
 *
 * Events: `capacity` when the link has room for pages of the catalog; `calm` when everything on screen has arrived by the
 * stream.
 */
export class Transport extends EventTarget {
  #stream;
  #byStream;
  #connection;
  #pages;
  #isByStream = true;
  /** @type {SlotGroup[]} */
  #slotGroups = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;
  /** When the scrolling became slow. */
  #slowSince = 0;
  /** When the last viewport report was sent. */
  #reportedAt = 0;
  #isBrisk = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #capacityTimer;

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
    stream.addEventListener('unavailable', () => this.#switchTransport(false));
    stream.addEventListener('catalog', (event) => {
      const { view, revision, total } = /** @type {CustomEvent} */ (event).detail;
      pages.checkAnnouncement(view, revision, total);
    });
    connection.addEventListener('restored', () => {
      stream.renew();
      this.#waitForStream();
    });
    connection.addEventListener('answered', () => stream.hasten());
    connection.addEventListener('lost', () => this.#useHeldRenditions());
    pages.addEventListener('page', () => connection.isLost && byStream.displayHeld());
    setInterval(() => this.#checkSilence(), checkInterval);
    byStream.addEventListener('calm', () => {
      this.dispatchEvent(new Event('capacity'));
      this.dispatchEvent(new Event('calm'));
    });
    document.addEventListener('visibilitychange', () => this.#waitForStream());
    this.#waitForStream();
  }

  /**
   * @param {import('./token-loader.js').TokenLoader} byRequests  For use without a stream.
   * @returns {SlotGroup}
   */
  slotGroup(byRequests) {
    const slotGroup = new SlotGroup(this.#byStream, byRequests);
    slotGroup.switchTransport(this.#isByStream);
    this.#slotGroups.push(slotGroup);
    return slotGroup;
  }

  /** Whether the server announces changes of the catalog by itself. */
  get announcesChanges() {
    return this.#stream.isOpen;
  }

  /** Whether pages of the catalog may be fetched now: they share the link with the images on screen. */
  get hasRoomForPages() {
    if (!this.#isByStream) return true;
    if (this.#isBrisk || !this.#stream.isOpen) return false;
    return this.#byStream.isCalm || performance.now() - this.#slowSince > longestWait;
  }

  /**
   * The image in the slot, as far as it is known: perhaps only its name.
   * @param {number} index
   */
  imageAt(index) {
    return this.#byStream.imageAt(index);
  }

  /**
   * The image in the slot with all members of the catalog page, fetched if necessary; undefined if there is no such
   * slot.
   * @param {number} index
   */
  async load(index) {
    return (await this.#pages.load(index)) && this.imageAt(index);
  }

  /**
   * The image in the slot with all members of the catalog page, if that is loaded.
   * @param {number} index
   */
  knownAt(index) {
    return this.#pages.imageAt(index) && this.imageAt(index);
  }

  /** @param {Report} report  The viewport now. */
  viewportChanged(report) {
    const wasBrisk = this.#isBrisk;
    this.#reportedAt = performance.now();
    this.#isBrisk = isBrisk(report);
    if (report.velocity === 0 || (wasBrisk && !this.#isBrisk)) {
      this.#slowSince = performance.now();
      clearTimeout(this.#capacityTimer);
      this.#capacityTimer = setTimeout(() => this.dispatchEvent(new Event('capacity')), longestWait + 1);
    }
    this.#byStream.show(report);
    if (this.#connection.isLost && report.velocity === 0) this.#byStream.displayHeld();
  }

  /** The server is gone: take what the stream's worker holds. */
  #useHeldRenditions() {
    if (!this.#stream.isAvailable) return;
    this.#switchTransport(true);
    this.#byStream.displayHeld();
  }

  #opened() {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#switchTransport(true);
  }

  /** @param {{wasOpen: boolean, failures: number}} how */
  #closed({ wasOpen, failures }) {
    if (!this.#isByStream) return;
    // The server may be gone, and not just the stream.
    this.#connection.suspect();
    if (this.#connection.isLost) return;
    if (failures >= toleratedFailures) this.#switchTransport(false);
    else if (wasOpen) this.#waitForStream();
  }

  /**
   * A hung server, and a network that vanished silently, leave a socket that looks open. Other requests prove nothing,
   * since with several nodes another one may answer them.
   */
  #checkSilence() {
    if (document.hidden || !this.#stream.isOpen) return;
    const { heardAt } = this.#stream;
    const isAnswerDue = !this.#byStream.isCalm || this.#reportedAt > heardAt;
    const limit = isAnswerDue ? shortSilence : longestSilence;
    const silence = performance.now() - heardAt;
    if (silence > limit) this.#stream.ask();
    if (silence > suspiciousSilence && !this.#byStream.isCalm && !this.#isBrisk) this.#connection.suspect();
  }

  /** Switches to token requests after a while without a stream; a hidden page is in no hurry. */
  #waitForStream() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      if (!this.#stream.isOpen && !document.hidden && !this.#connection.isLost) this.#switchTransport(false);
    }, openTimeout);
  }

  /** @param {boolean} isByStream */
  #switchTransport(isByStream) {
    document.documentElement.dataset.transport = isByStream ? 'stream' : 'http';
    if (isByStream === this.#isByStream) return;
    this.#isByStream = isByStream;
    for (const slotGroup of this.#slotGroups) slotGroup.switchTransport(isByStream);
    this.dispatchEvent(new Event('capacity'));
  }
}
