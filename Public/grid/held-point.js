import { clamp } from './geometry.js';

/**
 * A point of a picture that stays where it is on screen while pictures become larger and smaller: between two fingers, under
 * the pointer, or in the middle. However often they do, it is the same picture, until somebody scrolls or points elsewhere.
 */
export class HeldPoint {
  /** Fingers are never quite still. Pixels. */
  static #near = 40;

  #slot = 0;
  /** The share of the row's height that lies above the point. */
  #share = 0;
  #y = 0;
  /** The gallery's offset when it was held last. */
  #offset = -1;

  /**
   * @param {import('./geometry.js').Geometry} geometry
   * @param {number} offset
   * @param {{x: number, y: number}} point  From the grid's left edge, and from the top of what is seen of it.
   */
  hold(geometry, offset, { x, y }) {
    const isSame = this.#offset === offset && Math.abs(this.#y - y) < HeldPoint.#near;
    if (!isSame) this.#slot = geometry.slotAt(x, offset + y);
    const { top, height } = geometry.row(geometry.rowOf(this.#slot));
    this.#share = clamp((offset + y - top) / Math.max(1, height), 0, 1);
    this.#y = y;
  }

  /**
   * The offset at which the point is where it was.
   * @param {import('./geometry.js').Geometry} geometry
   */
  offsetIn(geometry) {
    const { top, height } = geometry.row(geometry.rowOf(this.#slot));
    this.#offset = clamp(Math.round(top + this.#share * height - this.#y), 0, geometry.furthest);
    return this.#offset;
  }
}
