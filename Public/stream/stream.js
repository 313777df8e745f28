import { acceptedPictures } from '../catalog/formats.js';

/**
 * @typedef {import('./worker/message.js').Kind} Kind
 * @typedef {{slot: number, image: string, name: string, version: string | null, token: string, revision: number,
 *   view?: string, rendition: Kind}} Assignment  What stands in a slot of a view. A slot of which everything is held has a
 *   token of the page's own. `rendition`: the largest that the slot needs.
 * @typedef {import('../loading/sizes.js').Need & {first: number, count: number, direction: number, velocity: number,
 *   landing?: number, ahead?: number, behind?: number}} Sight  What is on screen, in the words of the stream's `viewport`
 *   message. `ahead`, `behind`: how many slots are to be made ready, where that is not left to the server.
 * @typedef {Sight & {view?: string, revision?: number, lag?: number}} Report
 * @typedef {{version: string | null, isIncomplete: boolean}} Content  Of what there is a picture. `isIncomplete`: the
 *   file ends before the picture does.
 */

/**
 * The page's hold on the stream, which lives in a worker. It sleeps while the page does.
 *
 * Events: `open` when the server listens; `closed` (detail: `{wasOpen, failures}`); `catalog` (detail: `{view,
 * revision, total}`); `assigned` (detail: `{assignments}`); `preview` (detail: `{token, content, url, at}`), `tile` (detail:
 * `{token, content, kind, blob}`: a tile, or what is larger or smaller), `problem` (detail: `{token, problem}`), `waiting` (detail: `{tokens}`);
 * `heard` when the server was asked and has answered; `unavailable` when there can be no worker.
 */
export class Stream extends EventTarget {
  /** A page that is out of sight for longer needs no stream. Milliseconds. */
  static #patience = 30_000;

  /** @type {Worker | null} */
  #worker = null;
  #isOpen = false;
  #heardAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hiding;

  get isOpen() {
    return this.#isOpen;
  }

  /** Whether there is a worker, and so what it keeps. */
  get isAvailable() {
    return this.#worker !== null;
  }

  async start() {
    try {
      this.#worker = new Worker(new URL('./worker/worker.js', import.meta.url), { type: 'module', name: 'stream' });
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
    const url = new URL('/api/v1/stream', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.searchParams.set('accept', await acceptedPictures);
    this.#post({ type: 'start', url: url.href });
  }

  /** @param {Report} report  Replaces the one before. */
  show(report) {
    this.#post({ type: 'viewport', report });
  }

  /**
   * The images that are about to be on screen: what is held of them need not be sent.
   * @param {{image: string, version: string}[]} images
   */
  tellOf(images) {
    if (images.length > 0) this.#post({ type: 'known', images });
  }

  /**
   * Gives what is held of these, while there is no server that would assign them.
   * @param {ReturnType<import('./assignments.js').Assignments['lackingOf']>} assignments
   * @param {number} revision
   * @param {string} view
   */
  recall(assignments, revision, view) {
    if (assignments.length > 0) this.#post({ type: 'recall', assignments, revision, view });
  }

  /**
   * @param {number} slot  One that failed.
   * @param {{insists: boolean}} how  Whether a person asks: then no failure that the server remembers counts.
   */
  retry(slot, { insists }) {
    this.#post({ type: 'retry', slots: [slot], insists });
  }

  /**
   * What came is no picture.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  reject(image, version, kind) {
    this.#post({ type: 'unfit', image, version, kind });
  }

  /** The server answers again: whatever socket there is may be a dead one, and there is no need to wait for another. */
  renew() {
    if (!document.hidden) this.#post({ type: 'renew' });
  }

  /** Has the server say whether it is there: a stream that it does not answer by is closed, and another is opened. */
  ask() {
    this.#post({ type: 'ask' });
  }

  /** The server answers requests: a stream that is slow to open tries again. */
  hasten() {
    if (!this.#isOpen) this.#post({ type: 'hasten' });
  }

  /** When anything was heard last. Milliseconds of the page's clock. */
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
      else if (item.type === 'closed') this.#isOpen = false;
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
    if (document.hidden) this.#hiding = setTimeout(() => this.#sleep(), Stream.#patience);
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
