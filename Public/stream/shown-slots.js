/** @typedef {import('../loading/slot.js').Slot} Slot */

/** @type {readonly Slot[]} */
const none = [];

/** The slots of the page by their number: a picture may be in the grid and in the viewer at once. */
export class ShownSlots {
  /**
   * A list that was handed out is never changed.
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
   * As they are now, whatever becomes of them meanwhile.
   * @param {number} number
   */
  at(number) {
    return this.#byNumber.get(number) ?? none;
  }

  get all() {
    return [...this.#byNumber.values()].flat();
  }
}
