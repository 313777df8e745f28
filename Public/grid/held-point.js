import { clamp } from './geometry.js';

/** Fingers are never quite still. Pixels. */
const fingerTolerance = 40;

/**
 * A point of an image that stays in place on screen while images grow or shrink: between two fingers, under the
 * pointer, or in the middle. It stays with the same image over several steps, until the user scrolls or points
 * elsewhere.
 */
export class HeldPoint {
  #slot = 0;
  /** The share of the row's height above the point. */
  #share = 0;
  #y = 0;
  /** The gallery's offset when the point was held last. */
  #offset = -1;

  /**
   * @param {import('./geometry.js').Geometry} geometry
   * @param {number} offset
   * @param {{x: number, y: number}} point  From the grid's left edge, and from the top of its visible part.
   */
  hold(geometry, offset, { x, y }) {
    const isSame = this.#offset === offset && Math.abs(this.#y - y) < fingerTolerance;
    if (!isSame) this.#slot = geometry.slotAt(x, offset + y);
    const { top, height } = geometry.row(geometry.rowOf(this.#slot));
    this.#share = clamp((offset + y - top) / Math.max(1, height), 0, 1);
    this.#y = y;
  }

  /**
   * The offset that puts the point back in place.
   * @param {import('./geometry.js').Geometry} geometry
   */
  offsetIn(geometry) {
    const { top, height } = geometry.row(geometry.rowOf(this.#slot));
    this.#offset = clamp(Math.round(top + this.#share * height - this.#y), 0, geometry.furthest);
    return this.#offset;
  }
}
