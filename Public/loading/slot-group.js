import { needsSame, pixelsOf, stepFor } from './sizes.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./sizes.js').Need} Need
 * @typedef {Pick<import('./token-loader.js').TokenLoader, 'request' | 'adopt' | 'leave' | 'renumber' | 'release' |
 *   'retry' | 'hold' | 'reorder'>} PictureLoading  The interface that both loaders have.
 */

/**
 * The slots of one part of the page, the grid or the viewer, and the loader that serves them at present. Each group has
 * its own session for token requests, so that a slot of the viewer and a slot of the grid may have the same number.
 */
export class SlotGroup {
  #byStream;
  #byRequests;
  /** @type {PictureLoading} */
  #current;
  /** @type {Set<Slot>} */
  #slots = new Set();
  /**
   * What each slot needs, if all need the same.
   * @type {Need | null}
   */
  #need = null;

  /**
   * @param {PictureLoading | null} byStream  Null for slots that are never loaded by the stream.
   * @param {PictureLoading} byRequests
   */
  constructor(byStream, byRequests) {
    this.#byStream = byStream;
    this.#byRequests = byRequests;
    this.#current = byStream ?? byRequests;
  }

  get need() {
    return this.#need;
  }

  /** @param {Slot} slot  At the start of a display. */
  request(slot) {
    this.#slots.add(slot);
    slot.rendition = stepFor(slot.need, slot.image);
    this.#current.request(slot);
  }

  /** @param {Slot} slot */
  release(slot) {
    this.#slots.delete(slot);
    this.#current.release(slot);
  }

  /**
   * The slot's image has another position in the order now.
   * @param {Slot} slot
   * @param {number} number
   */
  renumber(slot, number) {
    this.#current.renumber(slot, number);
  }

  /** @param {Slot} slot */
  retry(slot) {
    this.#current.retry(slot);
  }

  /** Whether the page scrolls so fast that a slot needs only what is visible of it. */
  isHeld = false;

  /** @param {boolean} isHeld  While true no tokens are requested; the stream decides by itself. */
  hold(isHeld) {
    this.isHeld = isHeld;
    this.#byRequests.hold(isHeld);
  }

  /** The viewport has changed, and with it the ranks of the slots. */
  reorder() {
    this.#current.reorder();
  }

  /** @param {Need} need  Of each slot from now on. */
  setNeed(need) {
    const isOther = !(this.#need && needsSame(this.#need, need));
    this.#need = need;
    if (isOther) for (const slot of this.#slots) this.refine(slot);
  }

  /**
   * The slot may have grown, so that what it displays or has requested is no longer sharp. The stream notices by
   * itself.
   * @param {Slot} slot
   */
  refine(slot) {
    if (this.#current === this.#byStream || !this.#slots.has(slot) || slot.phase === 'failed') return;
    const pixels = slot.phase === 'displayed' ? slot.pixels : pixelsOf(slot.rendition);
    if (pixelsOf(stepFor(slot.need, slot.image)) > pixels) this.#beginAgain(slot, this.#current);
  }

  /** @param {boolean} isByStream */
  switchTransport(isByStream) {
    const before = this.#current;
    this.#current = (isByStream ? this.#byStream : null) ?? this.#byRequests;
    if (this.#current === before) return;
    for (const slot of this.#slots) {
      if (slot.phase === 'displayed' || slot.phase === 'failed') {
        before.leave(slot);
        this.#current.adopt(slot);
      } else {
        this.#beginAgain(slot, before);
      }
    }
  }

  /**
   * @param {Slot} slot
   * @param {PictureLoading} before  The loader that served it so far.
   */
  #beginAgain(slot, before) {
    const { number, image } = slot;
    before.release(slot);
    slot.begin(number, image);
    this.request(slot);
  }
}
