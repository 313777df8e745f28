import { clamp } from './geometry.js';

/**
 * The keyboard focus among slots: exactly one slot is in the tab order, the one that has, or last had, the focus. Slots
 * come and go during a scroll; one that does not exist yet gets the focus when it does.
 */
export class RovingFocus {
  #element;
  #rows;
  /** The slot that has, or last had, the focus. */
  active = 0;
  /** The slot that will get the focus once it exists. */
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
   * Until the slot exists, the grid receives the keys.
   * @param {number} index
   */
  await(index) {
    this.active = index;
    this.awaited = index;
    if (!this.isInside) this.#element.focus({ preventScroll: true });
  }

  /**
   * All slots were replaced: focus the same slot again, if it still exists.
   * @param {import('./geometry.js').Geometry} geometry
   */
  restore(geometry) {
    this.await(this.active);
    this.follow(geometry);
    this.awaited = -1;
  }

  /** @param {number} index  The slot that the user focused. */
  take(index) {
    this.active = index;
    this.awaited = -1;
    this.#offer();
  }

  /**
   * The images have other positions now.
   * @param {number} by
   * @param {number} total
   */
  move(by, total) {
    this.active = clamp(this.active + by, 0, Math.max(0, total - 1));
    if (this.awaited >= 0) this.awaited = this.active;
  }

  /**
   * Other slots may exist now.
   * @param {import('./geometry.js').Geometry} geometry
   */
  follow(geometry) {
    // The focus may have left the grid meanwhile.
    if (!this.isInside) this.awaited = -1;
    const cell = this.awaited < 0 ? undefined : this.#rows.cellAt(geometry.rowOf(this.awaited), this.awaited);
    if (cell) this.awaited = -1;
    cell?.element.focus({ preventScroll: true });
    this.#offer();
  }

  /**
   * Tabbing into the grid leads to the viewport, not to a slot left behind long ago.
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
