import { needsSame, pixelsOf, stepFor } from './sizes.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./sizes.js').Need} Need
 * @typedef {Pick<import('./loader.js').PictureLoader, 'request' | 'adopt' | 'leave' | 'renumber' | 'release' | 'retry' |
 *   'hold' | 'reorder'>} PictureLoading  What the stream and requests with tokens have in common.
 */

/**
 * The slots of one part of the page, the grid or the viewer, and by whom their pictures are loaded at present. Each lane has
 * a session of its own for its requests, so that a slot of the viewer and a slot of the grid may have the same number.
 */
export class Lane {
  #byStream;
  #byRequests;
  /** @type {PictureLoading} */
  #present;
  /** @type {Set<Slot>} */
  #slots = new Set();
  /**
   * What each of its slots needs, where all need the same.
   * @type {Need | null}
   */
  #need = null;

  /**
   * @param {PictureLoading} byStream
   * @param {PictureLoading} byRequests
   */
  constructor(byStream, byRequests) {
    this.#byStream = byStream;
    this.#byRequests = byRequests;
    this.#present = byStream;
  }

  get need() {
    return this.#need;
  }

  /** @param {Slot} slot  At the beginning of a showing. */
  request(slot) {
    this.#slots.add(slot);
    slot.rendition = stepFor(slot.need, slot.image);
    this.#present.request(slot);
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
    this.#present.renumber(slot, number);
  }

  /** @param {Slot} slot */
  retry(slot) {
    this.#present.retry(slot);
  }

  /** @param {boolean} isHeld  While true nothing new is ordered; the stream knows by itself. */
  hold(isHeld) {
    this.#byRequests.hold(isHeld);
  }

  /** What is on screen has changed, and with it the ranks of the slots. */
  reorder() {
    this.#present.reorder();
  }

  /** @param {Need} need  Of each slot from now on. */
  look(need) {
    const isOther = !(this.#need && needsSame(this.#need, need));
    this.#need = need;
    if (isOther) for (const slot of this.#slots) this.refine(slot);
  }

  /**
   * The slot may have grown: then what is shown in it, or asked for, is not sharp any more. The stream knows by itself.
   * @param {Slot} slot
   */
  refine(slot) {
    if (this.#present === this.#byStream || !this.#slots.has(slot) || slot.phase === 'failed') return;
    const pixels = slot.phase === 'shown' ? slot.pixels : pixelsOf(slot.rendition);
    if (pixelsOf(stepFor(slot.need, slot.image)) > pixels) this.#beginAgain(slot, this.#present);
  }

  /** @param {boolean} isByStream */
  take(isByStream) {
    const before = this.#present;
    this.#present = isByStream ? this.#byStream : this.#byRequests;
    if (this.#present === before) return;
    for (const slot of this.#slots) {
      if (slot.phase === 'shown' || slot.phase === 'failed') {
        before.leave(slot);
        this.#present.adopt(slot);
      } else {
        this.#beginAgain(slot, before);
      }
    }
  }

  /**
   * @param {Slot} slot
   * @param {PictureLoading} before  By whom it was loaded so far.
   */
  #beginAgain(slot, before) {
    const { number, image } = slot;
    before.release(slot);
    slot.begin(number, image);
    this.request(slot);
  }
}
