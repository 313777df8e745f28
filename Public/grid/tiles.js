/**
 * The inside of a section: equal tiles in rows. Slots, rows and pixels are counted from the section's start. `Sections`
 * knows where sections are; `Justified` is another inside with the same members.
 */
export class Tiles {
  #columns;
  #height;
  #pitch;
  #lefts;
  #widths;

  /**
   * @param {{columns: number, tileHeight: number, gap: number, lefts: number[], widths: number[]}} measures  In pixels;
   *   a gap follows each row. `lefts` and `widths` of the columns.
   * @param {number} count  The number of slots.
   * @param {number} [lead]  The empty places before the first slot: so an image keeps its column when others are
   *   inserted before it.
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
    /** Includes the gap after the last row. */
    this.height = this.rows * this.#pitch;
  }

  /**
   * The lead of tiles that puts the slot into the column.
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
   * The row at so many pixels from the top; a gap belongs to the row above it.
   * @param {number} y
   */
  rowAt(y) {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.#pitch)));
  }

  /**
   * The position and the slots of a row: `start` is the slot in the first column, which may be before the first slot.
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
