/** Empties the slot of the grid whose image is in the viewer. */
export class Lift {
  /** @type {HTMLElement | null} */
  #slot = null;

  /** @param {HTMLElement | null} slot  The slot whose image is in the viewer; null for none. */
  of(slot) {
    this.#slot?.classList.remove('is-lifted');
    slot?.classList.add('is-lifted');
    this.#slot = slot;
  }
}
