import { clamp } from './geometry.js';

/**
 * The keyboard's focus among slots: exactly one can be tabbed to, the one that has the focus, or last had it. Slots come
 * and go while they are scrolled; one that is not there yet gets the focus when it is.
 */
export class RovingFocus {
  #element;
  #rows;
  /** The slot that has, or last had, the focus. */
  active = 0;
  /** The slot that is to have it. */
  awaited = -1;

  /**
   * @param {HTMLElement} element  The grid's.
   * @param {import('./rows.js').Rows} rows
   */
  constructor(element, rows) {
    this.#element = element;
    this.#rows = rows;
  }

  get isInside() {
    return this.#element.contains(document.activeElement);
  }

  /**
   * Until the slot is there, keys are the grid's.
   * @param {number} index
   */
  await(index) {
    this.active = index;
    this.awaited = index;
    if (!this.isInside) this.#element.focus({ preventScroll: true });
  }

  /**
   * All slots were made anew: the focus is the same slot's, if that is there still.
   * @param {import('./geometry.js').Geometry} geometry
   */
  restore(geometry) {
    this.await(this.active);
    this.follow(geometry);
    this.awaited = -1;
  }

  /** @param {number} index  Somebody put the focus there. */
  take(index) {
    this.active = index;
    this.awaited = -1;
    this.#offer();
  }

  /**
   * The pictures stand elsewhere now.
   * @param {number} by
   * @param {number} total
   */
  move(by, total) {
    this.active = clamp(this.active + by, 0, Math.max(0, total - 1));
    if (this.awaited >= 0) this.awaited = this.active;
  }

  /**
   * Other slots may be there.
   * @param {import('./geometry.js').Geometry} geometry
   */
  follow(geometry) {
    // Somebody may have gone elsewhere meanwhile.
    if (!this.isInside) this.awaited = -1;
    const cell = this.awaited < 0 ? undefined : this.#rows.cellAt(geometry.rowOf(this.awaited), this.awaited);
    if (cell) this.awaited = -1;
    cell?.element.focus({ preventScroll: true });
    this.#offer();
  }

  /**
   * Whoever tabs into the grid comes to what is on screen, not to what was left long ago.
   * @param {import('./geometry.js').Geometry} geometry
   * @param {number} offset
   */
  bringNear(geometry, offset) {
    if (this.isInside || geometry.offsetShowing(geometry.rowOf(this.active), offset) === offset) return;
    this.active = geometry.firstWholeSlot(offset);
    this.#offer();
  }

  #offer() {
    for (const cell of this.#rows.cells()) cell.tabStop = cell.number === this.active;
  }
}
