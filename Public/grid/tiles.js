/**
 * The inside of a section: equal tiles in rows. Slots, rows and pixels are counted from the section's first. Where the
 * gallery's sections lie is the business of `Sections`; `Justified` is another inside with the same members.
 */
export class Tiles {
  #columns;
  #height;
  #pitch;
  #lefts;
  #widths;

  /**
   * @param {{columns: number, tileHeight: number, gap: number, lefts: number[], widths: number[]}} measures  In pixels; a
   *   row is followed by a gap. `lefts` and `widths` of the columns.
   * @param {number} count  Of slots.
   * @param {number} [lead]  The places that are left empty before the first slot: so a picture keeps its column when
   *   others come in before it.
   */
  constructor({ columns, tileHeight, gap, lefts, widths }, count, lead = 0) {
    this.#columns = columns;
    this.#height = tileHeight;
    this.#pitch = tileHeight + gap;
    this.#lefts = lefts;
    this.#widths = widths;
    this.count = count;
    this.lead = count > 0 ? lead % columns : 0;
    this.rows = Math.ceil((count + this.lead) / columns);
    /** With the gap after the last row. */
    this.height = this.rows * this.#pitch;
  }

  /**
   * The lead of tiles in which the slot stands in the column.
   * @param {number} slot
   * @param {number} column
   * @param {number} columns
   */
  static leadFor(slot, column, columns) {
    return (((column - slot) % columns) + columns) % columns;
  }

  /** @param {number} slot */
  rowOf(slot) {
    return Math.floor((slot + this.lead) / this.#columns);
  }

  /**
   * The row at so many pixels from the top; the gap after it is its own.
   * @param {number} y
   */
  rowAt(y) {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.#pitch)));
  }

  /**
   * Where a row lies, and its slots: `start` is the one in the first column, which may lie before the beginning.
   * @param {number} row
   */
  row(row) {
    const start = row * this.#columns - this.lead;
    return {
      top: row * this.#pitch,
      height: this.#height,
      room: this.#pitch,
      start,
      first: Math.max(0, start),
      last: Math.min(this.count, start + this.#columns) - 1,
      lefts: this.#lefts,
      widths: this.#widths,
    };
  }
}
