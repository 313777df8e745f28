import { Problem } from '../catalog/problem.js';
import { versionIn } from '../catalog/links.js';
import { View } from '../catalog/view.js';
import { commit } from '../loading/commit.js';
import { isWorthWaiting, waitFor } from '../loading/patience.js';
import { pixelsOf } from '../loading/sizes.js';
import { Assignments } from './assignments.js';
import { SlotFiller } from './filler.js';
import { Lag } from './lag.js';
import { isTooFastForTiles } from './pace.js';
import { makePreview } from './preview.js';
import { ShownSlots } from './shown-slots.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('./assignments.js').Standing} Standing
 * @typedef {import('./stream.js').Content} Content
 * @typedef {import('./stream.js').Report} Report
 */

/**
 * Brings pictures to slots by the stream. The server knows from the viewport what is wanted, and sends it before a cell
 * asks; so this is where what has come and what is on screen meet, in either order. Through the door of `commit`.
 *
 * Events: `calm` when everything on screen has its tile or its reason, after a time when something had not.
 */
export class StreamLoader extends EventTarget {
  #stream;
  #pages;
  #assignments = new Assignments();
  #slots = new ShownSlots();
  /** @type {Report | null} */
  #report = null;
  #isCalm = true;
  #lag = new Lag();
  #filler;
  /**
   * Tokens whose origins keep them waiting, as the server said last.
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
      standingAt: (slot) => this.#assignments.at(slot),
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
      this.#tellOf(first, last);
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

  /** Whether there is nothing on screen that waits for the link. */
  get isCalm() {
    return this.#isCalm;
  }

  /**
   * What stands in the slot, from the page of the catalog and from what the stream says: the newer counts. What was
   * assigned in an order before this one is believed when the page says the same.
   * @param {number} index
   * @returns {GalleryImage | undefined}
   */
  imageAt(index) {
    const page = this.#pages.imageAt(index);
    const standing = this.#assignments.at(index);
    if (!standing) return page;
    if (page?.id === standing.image) return standing.describe(page);
    return (this.#pages.revision ?? 0) > standing.revision ? page : standing.describe(undefined);
  }

  /** @param {Slot} slot  At the beginning of a showing. */
  request(slot) {
    if (slot.phase !== 'idle') return;
    slot.phase = 'wanted';
    this.adopt(slot);
    const standing = this.#assignments.at(slot.number);
    if (standing) this.#filler.bring(slot, standing);
  }

  /** @param {Slot} slot  One that may show something already. */
  adopt(slot) {
    this.#slots.add(slot);
  }

  /** @param {Slot} slot  It is loaded by others from now on, and keeps what it shows. */
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
    // It may have been assigned before the page knew that it stands there.
    const standing = this.#assignments.at(number);
    if (standing && standing.image === slot.image?.id && !hasEndedBadly(slot)) this.#give(slot, standing);
  }

  /** @param {Slot} slot */
  release(slot) {
    this.#slots.delete(slot);
    slot.begin(-1, null);
  }

  /** @param {boolean} _isHeld  The server sees from the reports that nothing is to be sent. */
  hold(_isHeld) {}

  /** The server orders by the reports. */
  reorder() {}

  /** @param {Slot} slot */
  retry(slot) {
    const standing = this.#assignments.at(slot.number);
    if (standing) standing.problem = null;
    this.#stream.retry(slot.number, { insists: true });
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

  /** There is no server: what is on screen, and is held, is shown. */
  recall() {
    if (!this.#report || this.#stream.isOpen) return;
    const assignments = this.#assignments.lackingOf(this.#report, (index) => this.#pages.imageAt(index));
    this.#stream.recall(assignments, this.#pages.revision ?? 0, this.#pages.view.text);
  }

  #isFast() {
    return this.#report !== null && isTooFastForTiles(this.#report);
  }

  /** A stream has begun; the server knows nothing of this page. */
  #resume() {
    if (!this.#report) return;
    const { first, count } = this.#report;
    this.#tellOf(first - count, first + 2 * count);
    this.show({ ...this.#report, velocity: 0, landing: undefined });
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive.
   */
  #tellOf(first, last) {
    if (!this.#stream.isOpen) return;
    const images = [];
    for (let index = Math.max(0, first); index <= last; index += 1) {
      const image = this.imageAt(index);
      const version = image && versionIn(image.links.tile);
      if (version) images.push({ image: image.id, version });
    }
    this.#stream.tellOf(images);
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
    const standings = this.#assignments.move(this.#pages.revision ?? 0, to, (slot) => this.#pages.imageAt(slot)?.id);
    // A slot whose picture stands elsewhere now is renumbered, and given what is there then.
    for (const standing of standings) this.#standsNow(standing, ({ image }) => !image || image.id === standing.image);
  }

  /** More is known of the order that is shown: what waited for a newer one may be of this one as well. */
  #takeUp() {
    for (const standing of this.#assignments.takeUp((slot) => this.#pages.imageAt(slot)?.id)) this.#standsNow(standing);
  }

  /**
   * @param {Standing} standing
   * @param {(slot: Slot) => boolean} [isMeant]  Which of the slots of its number it is given to.
   */
  #standsNow(standing, isMeant = () => true) {
    standing.side = this.#report?.side;
    for (const slot of this.#slots.at(standing.slot)) if (isMeant(slot)) this.#assign(slot, standing);
  }

  /** @param {import('./stream.js').Assignment[]} assignments */
  #assigned(assignments) {
    for (const assignment of assignments) {
      if (!this.#isOfView(assignment)) continue;
      // The page moves to a newer order as a whole; but nodes count for themselves, and another one may tell of the order.
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
   * @param {Standing} standing
   */
  #assign(slot, standing) {
    const { showing } = slot;
    // What the slot shows may be another picture, or another version of the same: then it begins anew by itself.
    slot.rebind(this.imageAt(standing.slot));
    if (slot.showing === showing && slot.image?.id === standing.image) this.#give(slot, standing);
  }

  /**
   * @param {Slot} slot
   * @param {Standing} standing
   */
  #give(slot, standing) {
    if (slot.phase !== 'shown') {
      this.#filler.bring(slot, standing);
      return;
    }
    slot.token = standing.token;
    this.#filler.bringTile(slot, standing);
  }

  /**
   * @param {string} token
   * @param {Content} content
   * @param {string} url
   * @param {number} at  When it came, in milliseconds since 1970.
   */
  #previewCame(token, content, url, at) {
    const standing = this.#came(token, content);
    if (!standing || standing.preview) return;
    standing.preview = makePreview(url, (preview) => {
      this.#previewIsReady(standing.slot, preview);
      this.#lag.shown(performance.timeOrigin + performance.now() - at);
    });
  }

  /**
   * @param {number} index
   * @param {HTMLImageElement} preview
   */
  #previewIsReady(index, preview) {
    // The slot may have another token by now, and the same picture.
    const standing = this.#assignments.at(index);
    if (standing?.preview !== preview) return;
    for (const slot of this.#slots.at(index)) {
      if (slot.phase !== 'shown' && slot.phase !== 'failed') commit(slot, standing.token, { preview, image: standing.image });
    }
  }

  /**
   * @param {string} token
   * @param {Content} content
   * @param {NonNullable<Standing['tile']>} tile
   * @param {boolean} isLast  Nothing more comes of this token.
   */
  #tileCame(token, content, tile, isLast) {
    const standing = this.#came(token, content);
    if (!standing) return;
    if (isLast) {
      standing.isEnded = true;
      standing.side = this.#report?.side;
    }
    if (standing.tile && pixelsOf(standing.tile.kind) > pixelsOf(tile.kind)) return;
    this.#assignments.hold(standing, tile);
    for (const slot of this.#slots.at(standing.slot)) this.#filler.bringTile(slot, standing);
  }

  /**
   * @param {string} token
   * @param {{status: number, title: string, detail: string, retryAfter?: number}} told
   */
  #problemCame(token, { status, title, detail, retryAfter }) {
    const standing = this.#assignments.of(token);
    if (!standing) return;
    const slots = this.#slots.at(standing.slot);
    standing.isEnded = true;
    // Where there is the picture already, it was only to become finer.
    if (standing.tile) {
      for (const slot of slots) this.#filler.bringTile(slot, standing);
      return;
    }
    const problem = new Problem(status, title || 'The picture cannot be had', detail, retryAfter);
    standing.problem = problem;
    for (const slot of slots) {
      if (isWorthWaiting(slot, problem)) this.#retryLater(slot, problem);
      else commit(slot, token, { problem, image: standing.image });
    }
    this.#checkCalm();
  }

  /**
   * Nobody insists: what the server remembers of the failure by then, it may tell again.
   * @param {Slot} slot
   * @param {Problem} problem
   */
  #retryLater(slot, problem) {
    const { showing } = slot;
    const seconds = waitFor(slot, problem);
    slot.attempts += 1;
    setTimeout(() => {
      const isWanted = slot.showing === showing && slot.phase !== 'shown';
      if (isWanted) this.#stream.retry(slot.number, { insists: false });
    }, seconds * 1_000);
  }

  /** @param {string[]} tokens  All that wait for their origins; the others do not, or no longer. */
  #keepWaiting(tokens) {
    this.#keptWaiting = new Set(tokens);
    for (const slot of this.#slots.all) slot.waitForOrigin(this.#keptWaiting.has(slot.token));
  }

  /**
   * @param {string} token
   * @param {Content} content
   */
  #came(token, content) {
    const standing = this.#assignments.of(token);
    if (!standing) return undefined;
    standing.learn(content);
    standing.problem = null;
    for (const slot of this.#slots.at(standing.slot)) {
      if (slot.token === token && slot.image?.id === standing.image) slot.image = standing.described;
    }
    return standing;
  }

  #bringTiles() {
    for (const slot of this.#slots.all) {
      const standing = this.#assignments.at(slot.number);
      if (standing && slot.token === standing.token) this.#filler.bringTile(slot, standing);
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
      if (there.length === 0 || !there.every(({ phase }) => phase === 'shown' || phase === 'failed')) return false;
    }
    return true;
  }
}

/** @param {Slot} slot  Nothing is on its way to it, or it has its reason. */
function hasEndedBadly({ phase }) {
  return phase === 'idle' || phase === 'failed';
}
