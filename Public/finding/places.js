/**
 * @typedef {{index?: number, within?: number, image?: string}} Start  What a view starts with: the image or, if it is
 *   unknown or gone, the slot; and how many pixels its row is scrolled beyond the top of the screen.
 */

/** Where the user was last in each folder during this visit. */
export class Places {
  /** @type {Map<string, Start>} */
  #places = new Map();

  /**
   * @param {import('../catalog/view.js').View} view  A search has no place in its folder.
   * @param {import('../page/address.js').Place & {image?: string}} place
   */
  remember({ q, folder }, place) {
    if (q !== '') return;
    if (place.index > 0 || place.within > 0) this.#places.set(folder, place);
    else this.#places.delete(folder);
  }

  /**
   * @param {string} folder
   * @returns {Start}  The beginning, unless the user has been there.
   */
  of(folder) {
    return this.#places.get(folder) ?? {};
  }
}
