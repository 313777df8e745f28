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
   * @param {{width: number, height: number, total: number, tile: number, gap: number, lead?: number}} given  `width` and
   *   `height` of what is seen of the grid at once, `tile` the side that a square should have if it can, `lead` the
   *   places that are left empty before the first slot: so a picture keeps its column when others come in before it.
   */
  constructor({ width, height, total, tile, gap, lead = 0 }) {
    this.total = total;
    this.gap = gap;
    this.viewHeight = height;
    this.columns = Geometry.#columns({ width, height, tile, gap });
    this.tile = Math.max(1, Math.round((width - gap * (this.columns - 1)) / this.columns));
    this.rowHeight = this.tile + gap;
    this.lead = total > 0 ? lead % this.columns : 0;
    this.rows = Math.ceil((total + this.lead) / this.columns);
    this.height = Math.max(0, this.rows * this.rowHeight - gap);
  }

  /** The furthest that can be scrolled. */
  get furthest() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** @param {number} index */
  rowOf(index) {
    return Math.floor((index + this.lead) / this.columns);
  }

  /** @param {number} index */
  columnOf(index) {
    return (index + this.lead) % this.columns;
  }

  /**
   * The slot in a row's first column; in the first row it may lie before the beginning.
   * @param {number} row
   */
  firstOf(row) {
    return row * this.columns - this.lead;
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
    return { first: Math.max(0, this.firstOf(first)), last: Math.min(this.total, this.firstOf(last + 1)) - 1 };
  }

  /**
   * The first slot on screen at an offset that may lie beyond the ends.
   * @param {number} offset
   */
  landingSlot(offset) {
    return Math.max(0, this.firstOf(this.rowsAt(clamp(offset, 0, this.furthest)).first));
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
   * How what stood at `from` comes to stand at `to` in the same column: the lead for that, and how many rows further
   * down the gallery that is.
   * @param {number} from
   * @param {number} to
   */
  moving(from, to) {
    const lead = (((this.lead + from - to) % this.columns) + this.columns) % this.columns;
    return { lead, rows: (to + lead - from - this.lead) / this.columns };
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
