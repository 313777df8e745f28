import { lastOf } from '../catalog/halving.js';

/**
 * @typedef {import('./tiles.js').Tiles | import('./justified.js').Justified} Inside
 * @typedef {{title: string, count: number, months: string[]}} Part  A run of the order; without a title it has no
 *   heading. `months`: those that it consists of, `2019-06`; none for images without a date.
 * @typedef {{title: string, months: string[], count: number, first: number, row: number, top: number, heading: number, inside: Inside}}
 *   Section  A positioned part: its first slot, its first row (the heading's, if it has one), its top and its heading's
 *   height in pixels, and its rows of images, counted from its own start.
 * @typedef {{number: number, top: number, height: number, room: number, title: string | null, start: number, first:
 *   number, last: number, lefts?: number[], widths?: number[]}} RowPlace  A row of the gallery; `room` reaches down to
 *   the next one. A heading has a title and no slots; in other rows `start` is the slot in the first column, which may
 *   be before the `first` that exists, and `lefts` and `widths` are those of the columns. Without these the row is
 *   blank: the aspect ratios of its images are unknown.
 */

/**
 * The parts of an order one below the other, each with its heading. Headings are rows, too. All look-ups are binary
 * searches: thousands of sections and millions of slots cost about the same.
 */
export class Sections {
  /** @type {Section[]} */
  #all = [];

  /**
   * @param {Part[]} parts
   * @param {number} heading  The height of a heading.
   * @param {(title: string, count: number, first: number) => Inside} lay  Lays out the inside of a part.
   */
  constructor(parts, heading, lay) {
    let [first, row, top] = [0, 0, 0];
    for (const { title, count, months } of parts) {
      if (count === 0) continue;
      const inside = lay(title, count, first);
      const section = { title, months, count, first, row, top, heading: title ? heading : 0, inside };
      this.#all.push(section);
      first += count;
      row += section.inside.rows + (title ? 1 : 0);
      top += section.heading + section.inside.height;
    }
    if (first === 0) this.#all.push({ title: '', months: [], count: 0, first, row, top, heading: 0, inside: lay('', 0, 0) });
    this.total = first;
    this.rows = row;
    /** Includes the gap after the last row. */
    this.height = top;
  }

  [Symbol.iterator]() {
    return this.#all.values();
  }

  /** @param {number} slot */
  withSlot(slot) {
    return this.#last('first', slot);
  }

  /** @param {number} y  Pixels from the top of the gallery. */
  at(y) {
    return this.#last('top', y);
  }

  /** @param {number} slot */
  rowOf(slot) {
    const section = this.withSlot(slot);
    return firstRow(section) + section.inside.rowOf(slot - section.first);
  }

  /** @param {number} y  Pixels from the top of the gallery; a gap belongs to the row above it. */
  rowAt(y) {
    const section = this.at(y);
    const within = y - section.top - section.heading;
    return within < 0 ? section.row : firstRow(section) + section.inside.rowAt(within);
  }

  /**
   * @param {number} number
   * @returns {RowPlace | undefined}  Undefined where no row has the number.
   */
  row(number) {
    const { title, first, row, top, heading, inside } = this.#last('row', number);
    if (title && number === row) {
      return { number, top, height: heading, room: heading, title, start: first, first, last: first - 1 };
    }
    const place = inside.row(number - row - (title ? 1 : 0));
    return place && {
      ...place,
      number,
      top: top + heading + place.top,
      title: null,
      start: first + place.start,
      first: first + place.first,
      last: first + place.last,
    };
  }

  /**
   * The last section that begins there or before.
   * @param {'first' | 'row' | 'top'} measure
   * @param {number} value
   */
  #last(measure, value) {
    return this.#all[lastOf(this.#all, (section) => section[measure] <= value)];
  }
}

/**
 * The first row of images.
 * @param {Section} section
 */
function firstRow({ title, row }) {
  return title ? row + 1 : row;
}
