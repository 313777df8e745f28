/** While its picture is in the viewer, a slot of the grid is empty. */
export class Lift {
  /** @type {HTMLElement | null} */
  #slot = null;

  /** @param {HTMLElement | null} slot  Whose picture the viewer has; null once it has none. */
  of(slot) {
    this.#slot?.classList.remove('is-lifted');
    slot?.classList.add('is-lifted');
    this.#slot = slot;
  }
}
