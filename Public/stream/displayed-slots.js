/** @typedef {import('../loading/slot.js').Slot} Slot */

/** @type {readonly Slot[]} */
const none = [];

/** The slots of the page by number: an image may be in the grid and in the viewer at once. */
export class DisplayedSlots {
  /**
   * Lists are replaced, never changed.
   * @type {Map<number, readonly Slot[]>}
   */
  #byNumber = new Map();

  /** @param {Slot} slot */
  add(slot) {
    const there = this.at(slot.number);
    if (!there.includes(slot)) this.#byNumber.set(slot.number, [...there, slot]);
  }

  /** @param {Slot} slot */
  delete(slot) {
    const left = this.at(slot.number).filter((each) => each !== slot);
    if (left.length > 0) this.#byNumber.set(slot.number, left);
    else this.#byNumber.delete(slot.number);
  }

  /**
   * The slots of this number now; later changes do not affect the list.
   * @param {number} number
   */
  at(number) {
    return this.#byNumber.get(number) ?? none;
  }

  get all() {
    return [...this.#byNumber.values()].flat();
  }
}
