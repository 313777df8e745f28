/**
 * Where the slots are: equal squares in rows. All lengths are CSS pixels from the top of the gallery, for a gallery of
 * any size; what the browser can really scroll is the business of `ScrollMap`.
 */
export class Geometry {
  /** Rows kept in the document beyond each edge of the screen. */
  static overscan = 2;
  /** The document holds at most 150 <img>; the viewer needs a few of them. */
  static #mostCells = 140;
  static #fewestColumns = 3;

  /**
   * @param {{width: number, height: number, total: number, tile: number, gap: number}} given  `width` and `height` of
   *   what is seen of the grid at once, `tile` the side that a square should have if it can.
   */
  constructor({ width, height, total, tile, gap }) {
    this.total = total;
    this.gap = gap;
    this.viewHeight = height;
    this.columns = Geometry.#columns({ width, height, tile, gap });
    this.tile = Math.max(1, Math.round((width - gap * (this.columns - 1)) / this.columns));
    this.rowHeight = this.tile + gap;
    this.rows = Math.ceil(total / this.columns);
    this.height = Math.max(0, this.rows * this.rowHeight - gap);
  }

  /** The furthest that can be scrolled. */
  get furthest() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** @param {number} index */
  rowOf(index) {
    return Math.floor(index / this.columns);
  }

  /** @param {number} row */
  topOf(row) {
    return row * this.rowHeight;
  }

  /**
   * The rows that are on screen, both inclusive; `last` is before `first` in an empty gallery.
   * @param {number} offset
   */
  rowsAt(offset) {
    const first = Math.floor((offset + this.gap) / this.rowHeight);
    const last = Math.floor((offset + this.viewHeight - 1) / this.rowHeight);
    return { first: clamp(first, 0, this.rows - 1), last: Math.min(last, this.rows - 1) };
  }

  /**
   * The slots that are on screen, both inclusive.
   * @param {number} offset
   */
  slotsAt(offset) {
    const { first, last } = this.rowsAt(offset);
    return { first: first * this.columns, last: Math.min(this.total, (last + 1) * this.columns) - 1 };
  }

  /**
   * The first slot on screen at an offset that may lie beyond the ends.
   * @param {number} offset
   */
  landingSlot(offset) {
    return this.rowsAt(clamp(offset, 0, this.furthest)).first * this.columns;
  }

  /**
   * How far a row's middle is from the middle of the screen.
   * @param {number} row
   * @param {number} offset
   */
  distance(row, offset) {
    return Math.abs(this.topOf(row) + this.tile / 2 - offset - this.viewHeight / 2);
  }

  /**
   * The offset nearest to `offset` at which the whole row is on screen.
   * @param {number} row
   * @param {number} offset
   */
  offsetShowing(row, offset) {
    const top = this.topOf(row);
    const lowest = top + this.tile - this.viewHeight;
    return clamp(clamp(offset, lowest, Math.max(lowest, top)), 0, this.furthest);
  }

  /**
   * The offset at which the row is in the middle of the screen.
   * @param {number} row
   */
  offsetCentring(row) {
    return clamp(this.topOf(row) - (this.viewHeight - this.tile) / 2, 0, this.furthest);
  }

  /**
   * As many columns as fit, unless the document would hold too many cells: on a very large screen the squares grow.
   * @param {{width: number, height: number, tile: number, gap: number}} given
   */
  static #columns({ width, height, tile, gap }) {
    let columns = Math.max(Geometry.#fewestColumns, Math.floor((width + gap) / (tile + gap)));
    while (columns > 1 && Geometry.#cells(columns, width, height, gap) > Geometry.#mostCells) columns -= 1;
    return columns;
  }

  /**
   * @param {number} columns
   * @param {number} width
   * @param {number} height
   * @param {number} gap
   */
  static #cells(columns, width, height, gap) {
    const rowHeight = (width + gap) / columns;
    // One row more than fits, cut at both edges, and one that is kept because it holds the focus.
    return columns * (Math.ceil(height / rowHeight) + 2 + 2 * Geometry.overscan);
  }
}

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
