import { acceptedPictures } from '../catalog/formats.js';
import { serverTables } from '../catalog/server-tables.js';
import { find } from '../page/template.js';
import { linkRate } from './link-rate.js';

/**
 * @typedef {import('./worker/message.js').Kind} Kind
 * @typedef {{slot: number, image: string, name: string, version: string | null, token: string, revision: number, view?:
 *   string, rendition: Kind}} Assignment  The image in a slot of a view. If everything is held already, the token is
 *   made up by the page. `rendition`: the largest that the slot needs.
 * @typedef {import('../loading/sizes.js').Need & {first: number, count: number, direction: number, velocity: number,
 *   landing?: number, ahead?: number, behind?: number}} Sight  The viewport, in the terms of the stream's `viewport`
 *   message. `ahead`, `behind`: how many slots to prepare, if that is not left to the server.
 * @typedef {Sight & {view?: string, revision?: number, lag?: number}} Report
 * @typedef {{version: string | null, isIncomplete: boolean}} Content  What a picture was made of. `isIncomplete`: the
 *   file is truncated.
 */

/** How long a hidden page keeps its stream. Milliseconds. */
const sleepAfter = 30_000;

/**
 * The page's side of the stream, whose socket lives in a worker. It sleeps while the page does.
 *
 * Events: `open` when the server listens; `closed` (detail: `{wasOpen, failures}`); `catalog` (detail: `{view,
 * revision, total}`); `assigned` (detail: `{assignments}`); `preview` (detail: `{token, content, url, at}`), `tile`
 * (detail: `{token, content, kind, blob}`: a tile, or a larger or smaller step), `problem` (detail: `{token,
 * problem}`), `waiting` (detail: `{tokens}`); `heard` when the server has answered a ping; `unavailable` if no worker
 * can be started.
 */
export class Stream extends EventTarget {
  /** @type {Worker | null} */
  #worker = null;
  #isOpen = false;
  #heardAt = 0;
  /**
   * Of the link, in bytes per second, as far as the page has measured it.
   * @type {number | undefined}
   */
  #rate = linkRate(/** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource')));
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hiding;

  get isOpen() {
    return this.#isOpen;
  }

  /** Whether there is a worker, and so its cache. */
  get isAvailable() {
    return this.#worker !== null;
  }

  async start() {
    try {
      const { href } = /** @type {HTMLLinkElement} */ (find('#stream-worker'));
      this.#worker = new Worker(href, { type: 'module', name: 'stream' });
    } catch {
      this.dispatchEvent(new Event('unavailable'));
      return;
    }
    this.#worker.addEventListener('message', ({ data }) => this.#receive(data));
    this.#worker.addEventListener('error', () => this.#failed());
    addEventListener('pagehide', () => this.#sleep());
    addEventListener('pageshow', ({ persisted }) => persisted && this.#wake());
    document.addEventListener('freeze', () => this.#sleep());
    document.addEventListener('resume', () => this.#wake());
    document.addEventListener('visibilitychange', () => this.#follow());
    const url = new URL('api/v1/stream', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.searchParams.set('accept', await acceptedPictures);
    this.#post({ type: 'start', url: url.href, tables: serverTables });
  }

  /** @param {Report} report  Replaces the previous one. */
  show(report) {
    this.#post({ type: 'viewport', report: { ...report, rate: this.#rate } });
  }

  /**
   * Announces the images that are about to be on screen: renditions held of them need not be sent.
   * @param {{image: string, version: string}[]} images
   */
  announceHeld(images) {
    if (images.length > 0) this.#post({ type: 'known', images });
  }

  /**
   * Requests the renditions held of these images, while no server can assign them.
   * @param {ReturnType<import('./assignments.js').Assignments['lackingOf']>} assignments
   * @param {number} revision
   * @param {string} view
   */
  requestHeld(assignments, revision, view) {
    if (assignments.length > 0) this.#post({ type: 'requestHeld', assignments, revision, view });
  }

  /**
   * @param {number} slot  One that failed.
   * @param {{bypassesNegativeCache: boolean}} how  True if the user asked for the retry.
   */
  retry(slot, { bypassesNegativeCache }) {
    this.#post({ type: 'retry', slots: [slot], bypassesNegativeCache });
  }

  /**
   * The browser could not decode the rendition.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  reject(image, version, kind) {
    this.#post({ type: 'unfit', image, version, kind });
  }

  /** The server can be reached again: reconnect at once, since the present socket may be dead. */
  renew() {
    if (!document.hidden) this.#post({ type: 'renew' });
  }

  /** Pings the server: a stream without an answer is closed, and another one opened. */
  ask() {
    this.#post({ type: 'ask' });
  }

  /** The server answers requests: a stream that is slow to open tries again. */
  hasten() {
    if (!this.#isOpen) this.#post({ type: 'hasten' });
  }

  /** When anything last arrived. Milliseconds of the page's clock. */
  get heardAt() {
    return this.#heardAt;
  }

  /** @param {any} message */
  #post(message) {
    this.#worker?.postMessage(message);
  }

  /** @param {any[]} parcel */
  #receive(parcel) {
    this.#heardAt = performance.now();
    for (const item of parcel) {
      if (item.type === 'open') this.#isOpen = true;
      else if (item.type === 'closed') {
        this.#isOpen = false;
        // The next connection may be over another link.
        this.#rate = undefined;
      }
      this.dispatchEvent(new CustomEvent(item.type, { detail: item }));
    }
  }

  #failed() {
    if (this.#isOpen) return;
    this.#worker?.terminate();
    this.#worker = null;
    this.dispatchEvent(new Event('unavailable'));
  }

  #follow() {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#sleep(), sleepAfter);
    else this.#wake();
  }

  #sleep() {
    this.#isOpen = false;
    this.#post({ type: 'sleep' });
  }

  #wake() {
    if (!this.#isOpen) this.#post({ type: 'wake' });
  }
}
