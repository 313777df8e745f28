import { find } from '../page/template.js';
import { fade, growFrom, shrinkTo } from './flight.js';

/** The way of an image from its slot in the grid into the viewer and back. The slot is empty meanwhile. */
export class Lift {
  #backdrop = find('#viewer-backdrop');
  /** @type {HTMLElement | null} */
  #slot = null;

  /**
   * The image grows out of its slot.
   * @param {HTMLElement} slot
   * @param {HTMLElement} box  The image in the viewer.
   */
  async up(slot, box) {
    this.#of(slot);
    fade(this.#backdrop, 'in');
    await growFrom(slot.getBoundingClientRect(), box);
  }

  /**
   * The image shrinks into its slot.
   * @param {HTMLElement} slot
   * @param {HTMLElement} box
   */
  async down(slot, box) {
    this.#of(slot);
    const opacity = Number(getComputedStyle(this.#backdrop).opacity);
    await Promise.all([fade(this.#backdrop, 'out', opacity), shrinkTo(slot.getBoundingClientRect(), box)]);
  }

  /** The slot displays its image again. */
  end() {
    this.#of(null);
  }

  /** @param {HTMLElement | null} slot */
  #of(slot) {
    this.#slot?.classList.remove('is-lifted');
    slot?.classList.add('is-lifted');
    this.#slot = slot;
  }
}
