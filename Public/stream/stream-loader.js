import { Problem } from '../catalog/problem.js';
import { versionIn } from '../catalog/links.js';
import { View } from '../catalog/view.js';
import { commit } from '../loading/commit.js';
import { isWorthWaiting, waitFor } from '../loading/retry-policy.js';
import { pixelsOf } from '../loading/sizes.js';
import { Assignments } from './assignments.js';
import { SlotFiller } from './filler.js';
import { Lag } from './lag.js';
import { isFast } from './pace.js';
import { makePreview } from './preview.js';
import { DisplayedSlots } from './displayed-slots.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('./assignments.js').SlotAssignment} SlotAssignment
 * @typedef {import('./stream.js').Content} Content
 * @typedef {import('./stream.js').Report} Report
 */

/**
 * Fills slots from the stream. The server derives from the viewport what is needed, and sends it before a cell requests
 * it; this class brings together what has arrived and what is on screen, in either order, by way of `commit`.
 *
 * Events: `calm` when everything on screen has its tile or a problem, after a time when something had not.
 */
export class StreamLoader extends EventTarget {
  #stream;
  #pages;
  #assignments = new Assignments();
  #slots = new DisplayedSlots();
  /** @type {Report | null} */
  #report = null;
  #isCalm = true;
  #lag = new Lag();
  #filler;
  /**
   * The tokens whose origins are slow, according to the server's latest message.
   * @type {Set<string | null>}
   */
  #keptWaiting = new Set();

  /**
   * @param {{stream: import('./stream.js').Stream, cache: import('../loading/cache.js').PictureCache,
   *   pages: import('../catalog/pages.js').Pages}} parts
   */
  constructor({ stream, cache, pages }) {
    super();
    this.#stream = stream;
    this.#pages = pages;
    this.#filler = new SlotFiller({
      cache,
      assignmentAt: (slot) => this.#assignments.at(slot),
      isHeldBack: () => this.#isFast(),
      isKeptWaiting: (token) => this.#keptWaiting.has(token),
      onEnd: () => this.#checkCalm(),
      onUnfit: (image, version, kind) => stream.reject(image, version, kind),
    });
    stream.addEventListener('open', () => this.#resume());
    this.#on('assigned', ({ assignments }) => this.#assigned(assignments));
    this.#on('preview', ({ token, content, url, at }) => this.#previewCame(token, content, url, at));
    this.#on('tile', ({ token, content, kind, blob, isLast }) => this.#tileCame(token, content, { kind, blob }, isLast));
    this.#on('problem', ({ token, problem }) => this.#problemCame(token, problem));
    this.#on('waiting', ({ tokens }) => this.#keepWaiting(tokens));
    stream.addEventListener('closed', () => this.#keepWaiting([]));
    pages.addEventListener('order', (event) => this.#reordered(/** @type {CustomEvent} */ (event).detail));
    pages.addEventListener('page', (event) => {
      const { first, last } = /** @type {CustomEvent<{first: number, last: number}>} */ (event).detail;
      this.#announceHeld(first, last);
      this.#takeUp();
    });
  }

  /**
   * @param {string} type
   * @param {(detail: any) => void} listener
   */
  #on(type, listener) {
    this.#stream.addEventListener(type, (event) => listener(/** @type {CustomEvent} */ (event).detail));
  }

  /** Whether nothing on screen is waiting for the link. */
  get isCalm() {
    return this.#isCalm;
  }

  /**
   * The image in the slot, from the page of the catalog or from the stream, whichever is newer. An assignment of an
   * earlier order counts if the page agrees with it.
   * @param {number} index
   * @returns {GalleryImage | undefined}
   */
  imageAt(index) {
    const page = this.#pages.imageAt(index);
    const assigned = this.#assignments.at(index);
    if (!assigned) return page;
    if (page?.id === assigned.image) return assigned.describe(page);
    return (this.#pages.revision ?? 0) > assigned.revision ? page : assigned.describe(undefined);
  }

  /** @param {Slot} slot  At the start of a display. */
  request(slot) {
    if (slot.phase !== 'idle') return;
    slot.phase = 'wanted';
    this.adopt(slot);
    const assigned = this.#assignments.at(slot.number);
    if (assigned) this.#filler.bring(slot, assigned);
  }

  /** @param {Slot} slot  One that may already display something. */
  adopt(slot) {
    this.#slots.add(slot);
  }

  /** @param {Slot} slot  It is served by another loader from now on, and keeps what it displays. */
  leave(slot) {
    this.#slots.delete(slot);
  }

  /**
   * @param {Slot} slot
   * @param {number} number
   */
  renumber(slot, number) {
    this.#slots.delete(slot);
    slot.number = number;
    this.#slots.add(slot);
    // The assignment may have arrived before the page knew the image's position.
    const assigned = this.#assignments.at(number);
    if (assigned && assigned.image === slot.image?.id && !hasEndedBadly(slot)) this.#give(slot, assigned);
  }

  /** @param {Slot} slot */
  release(slot) {
    this.#slots.delete(slot);
    slot.begin(-1, null);
  }

  /** @param {boolean} _isHeld  Of no effect: the server decides by the reports. */
  hold(_isHeld) {}

  /** The server orders its work by the reports. */
  reorder() {}

  /** @param {Slot} slot */
  retry(slot) {
    const assigned = this.#assignments.at(slot.number);
    if (assigned) assigned.problem = null;
    this.#stream.retry(slot.number, { bypassesNegativeCache: true });
    slot.begin(slot.number, slot.image);
    this.request(slot);
  }

  /** @param {Report} report */
  show(report) {
    const wasFast = this.#isFast();
    this.#report = report;
    this.#lag.frame(performance.now(), report.velocity !== 0);
    this.#stream.show({ ...report, lag: this.#lag.milliseconds });
    this.#assignments.trim(report.first + report.count / 2);
    if (wasFast && !this.#isFast()) this.#bringTiles();
    this.#checkCalm();
  }

  /** Without a server: display what the worker holds of the viewport. */
  displayHeld() {
    if (!this.#report || this.#stream.isOpen) return;
    const assignments = this.#assignments.lackingOf(this.#report, (index) => this.#pages.imageAt(index));
    this.#stream.requestHeld(assignments, this.#pages.revision ?? 0, this.#pages.view.text);
  }

  #isFast() {
    return this.#report !== null && isFast(this.#report);
  }

  /** A stream has opened; the server knows nothing of this page. */
  #resume() {
    if (!this.#report) return;
    const { first, count } = this.#report;
    this.#announceHeld(first - count, first + 2 * count);
    this.show({ ...this.#report, velocity: 0, landing: undefined });
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive.
   */
  #announceHeld(first, last) {
    if (!this.#stream.isOpen) return;
    const images = [];
    for (let index = Math.max(0, first); index <= last; index += 1) {
      const image = this.imageAt(index);
      const version = image && versionIn(image.links.tile);
      if (version) images.push({ image: image.id, version });
    }
    this.#stream.announceHeld(images);
  }

  /** @param {import('./stream.js').Assignment} assignment */
  #isOfView({ view }) {
    return (view ?? '') === this.#pages.view.text || View.read(view).equals(this.#pages.view);
  }

  /** @param {import('../catalog/pages.js').Move} move */
  #reordered({ to, isOtherView }) {
    if (isOtherView) {
      this.#assignments.clear();
      return;
    }
    const moved = this.#assignments.move(this.#pages.revision ?? 0, to, (slot) => this.#pages.imageAt(slot)?.id);
    // A slot whose image has moved is renumbered, and then gets what belongs there.
    for (const assigned of moved) this.#standsNow(assigned, ({ image }) => !image || image.id === assigned.image);
  }

  /** More is known of the displayed order: assignments that waited for a newer one may belong to it, too. */
  #takeUp() {
    for (const assigned of this.#assignments.takeUp((slot) => this.#pages.imageAt(slot)?.id)) this.#standsNow(assigned);
  }

  /**
   * @param {SlotAssignment} assigned
   * @param {(slot: Slot) => boolean} [isMeant]  Which slots of that number get it.
   */
  #standsNow(assigned, isMeant = () => true) {
    assigned.side = this.#report?.side;
    for (const slot of this.#slots.at(assigned.slot)) if (isMeant(slot)) this.#assign(slot, assigned);
  }

  /** @param {import('./stream.js').Assignment[]} assignments */
  #assigned(assignments) {
    for (const assignment of assignments) {
      if (!this.#isOfView(assignment)) continue;
      // The page moves to a newer order as a whole; but nodes number revisions independently, and another node may have
      // supplied the order.
      const isSame = this.#pages.imageAt(assignment.slot)?.id === assignment.image;
      if (!isSame && assignment.revision > (this.#pages.revision ?? 0)) {
        this.#assignments.putAside(assignment);
        continue;
      }
      this.#standsNow(this.#assignments.put(assignment));
    }
  }

  /**
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  #assign(slot, assigned) {
    const { display } = slot;
    // The slot may display another image, or another version of it: then it starts afresh by itself.
    slot.rebind(this.imageAt(assigned.slot));
    if (slot.display === display && slot.image?.id === assigned.image) this.#give(slot, assigned);
  }

  /**
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  #give(slot, assigned) {
    if (slot.phase !== 'displayed') {
      this.#filler.bring(slot, assigned);
      return;
    }
    slot.token = assigned.token;
    this.#filler.bringTile(slot, assigned);
  }

  /**
   * @param {string} token
   * @param {Content} content
   * @param {string} url
   * @param {number} at  The time of arrival, in milliseconds since 1970.
   */
  #previewCame(token, content, url, at) {
    const assigned = this.#came(token, content);
    if (!assigned || assigned.preview) return;
    assigned.preview = makePreview(url, (preview) => {
      this.#previewIsReady(assigned.slot, preview);
      this.#lag.shown(performance.timeOrigin + performance.now() - at);
    });
  }

  /**
   * @param {number} index
   * @param {HTMLImageElement} preview
   */
  #previewIsReady(index, preview) {
    const assigned = this.#assignments.at(index); // The slot may have another token by now, for the same image.
    if (assigned?.preview !== preview) return;
    for (const slot of this.#slots.at(index)) {
      const isDone = slot.phase === 'displayed' || slot.phase === 'failed';
      if (!isDone) commit(slot, assigned.token, { preview, image: assigned.image });
    }
  }

  /**
   * @param {string} token
   * @param {Content} content
   * @param {NonNullable<SlotAssignment['tile']>} tile
   * @param {boolean} isLast  Nothing more will arrive with this token.
   */
  #tileCame(token, content, tile, isLast) {
    const assigned = this.#came(token, content);
    if (!assigned) return;
    if (isLast) {
      assigned.isEnded = true;
      assigned.side = this.#report?.side;
    }
    if (assigned.tile && pixelsOf(assigned.tile.kind) > pixelsOf(tile.kind)) return;
    assigned.tile = tile;
    for (const slot of this.#slots.at(assigned.slot)) this.#filler.bringTile(slot, assigned);
  }

  /**
   * @param {string} token
   * @param {{status: number, title: string, detail: string, retryAfter?: number}} told
   */
  #problemCame(token, { status, title, detail, retryAfter }) {
    const assigned = this.#assignments.of(token);
    if (!assigned) return;
    const slots = this.#slots.at(assigned.slot);
    assigned.isEnded = true;
    // The slot has a picture already; only a finer one failed.
    if (assigned.tile) {
      for (const slot of slots) this.#filler.bringTile(slot, assigned);
      return;
    }
    const problem = new Problem(status, title || 'The picture cannot be loaded', detail, retryAfter);
    assigned.problem = problem;
    for (const slot of slots) {
      if (isWorthWaiting(slot, problem)) this.#retryLater(slot, problem);
      else commit(slot, token, { problem, image: assigned.image });
    }
    this.#checkCalm();
  }

  /**
   * The server may answer from its negative cache: no person asked for this retry.
   * @param {Slot} slot
   * @param {Problem} problem
   */
  #retryLater(slot, problem) {
    const { display } = slot;
    const seconds = waitFor(slot, problem);
    slot.attempts += 1;
    setTimeout(() => {
      const isWanted = slot.display === display && slot.phase !== 'displayed';
      if (isWanted) this.#stream.retry(slot.number, { bypassesNegativeCache: false });
    }, seconds * 1_000);
  }

  /** @param {string[]} tokens  All that wait for their origins; no others do. */
  #keepWaiting(tokens) {
    this.#keptWaiting = new Set(tokens);
    for (const slot of this.#slots.all) slot.waitForOrigin(this.#keptWaiting.has(slot.token));
  }

  /**
   * @param {string} token
   * @param {Content} content
   */
  #came(token, content) {
    const assigned = this.#assignments.of(token);
    if (!assigned) return undefined;
    assigned.learn(content);
    assigned.problem = null;
    for (const slot of this.#slots.at(assigned.slot)) {
      if (slot.token === token && slot.image?.id === assigned.image) slot.image = assigned.described;
    }
    return assigned;
  }

  #bringTiles() {
    for (const slot of this.#slots.all) {
      const assigned = this.#assignments.at(slot.number);
      if (assigned && slot.token === assigned.token) this.#filler.bringTile(slot, assigned);
    }
  }

  #checkCalm() {
    const wasCalm = this.#isCalm;
    this.#isCalm = !this.#isFast() && this.#allEnded();
    if (this.#isCalm && !wasCalm) this.dispatchEvent(new Event('calm'));
  }

  #allEnded() {
    const { first, count } = this.#report ?? { first: 0, count: 0 };
    for (let number = first; number < first + count; number += 1) {
      const there = this.#slots.at(number);
      if (there.length === 0 || !there.every(({ phase }) => phase === 'displayed' || phase === 'failed')) return false;
    }
    return true;
  }
}

/** @param {Slot} slot  Whether nothing is in flight for it, or it displays a problem. */
function hasEndedBadly({ phase }) {
  return phase === 'idle' || phase === 'failed';
}
