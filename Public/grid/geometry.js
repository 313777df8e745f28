import { Sections } from './sections.js';
import { Squares } from './squares.js';

/**
 * @typedef {import('./sections.js').Part} Part
 * @typedef {import('./sections.js').RowPlace} RowPlace
 */

/**
 * Where the slots are: in rows, under headings where the order has parts. All lengths are CSS pixels from the top of the
 * gallery, for a gallery of any size; what the browser can really scroll is the business of `ScrollMap`.
 */
export class Geometry {
  /** Rows of pictures kept in the document beyond each edge of the screen. */
  static overscan = 2;
  /** The document holds at most 150 <img>; the viewer needs a few of them. */
  static #mostCells = 140;
  static #fewestColumns = 3;

  #sections;

  /**
   * @param {{width: number, height: number, parts: Part[], tile: number, gap: number, heading?: number,
   *   leads?: Map<string, number>, pinned?: {slot: number, column: number}}} given  `width` and `height` of what is seen
   *   of the grid at once, `tile` the side that a square should have if it can, `heading` the height of a heading.
   *   `leads`, by title: the places that are left empty before the first slot of a part. `pinned`: a slot that stands in
   *   a column, whatever lead its part must have for that.
   */
  constructor({ width, height, parts, tile, gap, heading = 0, leads = new Map(), pinned }) {
    this.gap = gap;
    this.viewHeight = height;
    this.columns = Geometry.#columns({ width, height, tile, gap });
    this.tile = Math.max(1, Math.round((width - gap * (this.columns - 1)) / this.columns));
    this.rowHeight = this.tile + gap;
    this.#sections = new Sections(parts, heading, (title, count, first) => {
      const at = pinned ? pinned.slot - first : -1;
      const isPinned = pinned !== undefined && at >= 0 && at < count;
      const lead = isPinned ? Squares.leadFor(at, pinned.column, this.columns) : leads.get(title);
      return new Squares(this, count, lead);
    });
    this.total = this.#sections.total;
    this.rows = this.#sections.rows;
    this.height = Math.max(0, this.#sections.height - gap);
  }

  /** The furthest that can be scrolled. */
  get furthest() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** The parts that begin with empty places, by their titles. */
  get leads() {
    /** @type {Map<string, number>} */
    const leads = new Map();
    for (const { title, inside } of this.#sections) if (inside.lead > 0) leads.set(title, inside.lead);
    return leads;
  }

  get hasHeadings() {
    return this.#sections.withSlot(0).title !== '';
  }

  /** @param {number} index */
  rowOf(index) {
    return this.#sections.rowOf(index);
  }

  /** @param {number} index */
  columnOf(index) {
    return this.#sections.columnOf(index);
  }

  /** @param {number} number  Of the row; headings count. */
  row(number) {
    return this.#sections.row(number);
  }

  /** @param {number} number */
  topOf(number) {
    return this.row(number).top;
  }

  /**
   * The title of the part that the slot is in; empty where it has none.
   * @param {number} index
   */
  titleAt(index) {
    return this.#sections.withSlot(index).title;
  }

  /**
   * The part at the top of the screen: its title, where its pictures begin and where it ends.
   * @param {number} offset
   */
  partAt(offset) {
    const { title, top, heading, inside } = this.#sections.at(offset);
    return { title, begin: top + heading, end: top + heading + inside.height };
  }

  /**
   * The offset at which the slot's row is at the top of the screen, or its heading if that is right above.
   * @param {number} index
   */
  startOf(index) {
    return this.#startOfRow(this.rowOf(index));
  }

  /** @param {number} number */
  #startOfRow(number) {
    const above = number > 0 ? this.row(number - 1) : undefined;
    return above && above.title !== null ? above.top : this.topOf(number);
  }

  /**
   * The rows that are on screen, both inclusive; `last` is before `first` in an empty gallery.
   * @param {number} offset
   */
  rowsAt(offset) {
    if (this.rows === 0) return { first: 0, last: -1 };
    let first = this.#sections.rowAt(offset);
    const { top, height } = this.row(first);
    // Of what ends here only the gap is seen.
    if (top + height <= offset && first < this.rows - 1) first += 1;
    return { first, last: this.#sections.rowAt(offset + this.viewHeight - 1) };
  }

  /**
   * The same with the rows beyond the edges of the screen that are kept in the document.
   * @param {number} offset
   */
  rowsAround(offset) {
    const beyond = Geometry.overscan * this.rowHeight;
    return { first: this.rowsAt(offset - beyond).first, last: this.rowsAt(offset + beyond).last };
  }

  /**
   * The slots that are on screen, both inclusive.
   * @param {number} offset
   */
  slotsAt(offset) {
    const { first, last } = this.rowsAt(offset);
    return last < first ? { first: 0, last: -1 } : { first: this.row(first).first, last: this.row(last).last };
  }

  /**
   * The first slot on screen at an offset that may lie beyond the ends.
   * @param {number} offset
   */
  landingSlot(offset) {
    return Math.max(0, this.slotsAt(clamp(offset, 0, this.furthest)).first);
  }

  /**
   * Slots in a pixel of height, about what is on screen.
   * @param {number} offset
   */
  densityAt(offset) {
    const { first, last } = this.rowsAt(offset);
    if (last < first) return 0;
    const [one, other] = [this.row(first), this.row(last)];
    return Math.max(1, other.last - one.first + 1) / (other.top + other.height + this.gap - one.top);
  }

  /**
   * How far a row's middle is from the middle of the screen.
   * @param {number} number
   * @param {number} offset
   */
  distance(number, offset) {
    const { top, height } = this.row(number);
    return Math.abs(top + height / 2 - offset - this.viewHeight / 2);
  }

  /**
   * The offset nearest to `offset` at which the whole row is on screen; who comes to it from below sees its heading too.
   * @param {number} number
   * @param {number} offset
   */
  offsetShowing(number, offset) {
    const { top, height } = this.row(number);
    const lowest = Math.min(top, top + height - this.viewHeight);
    if (top < offset) return clamp(this.#startOfRow(number), 0, this.furthest);
    return clamp(Math.max(offset, lowest), 0, this.furthest);
  }

  /**
   * The first slot of the topmost row that is wholly on screen, or else of the one that is cut.
   * @param {number} offset
   */
  firstWholeSlot(offset) {
    const { first, last } = this.rowsAt(offset);
    const number = first < last && this.topOf(first) < offset ? first + 1 : first;
    return clamp(this.row(number).first, 0, Math.max(0, this.total - 1));
  }

  /**
   * The slot above or below, headings left out: in the same column, or in the nearest that the row has. In the first and
   * the last row it is the slot itself.
   * @param {number} index
   * @param {1 | -1} way
   */
  slotBeside(index, way) {
    const row = this.rowOf(index);
    const number = this.#rowOfPictures(row + way, way);
    return number === undefined ? index : this.#slotIn(number, this.columnOf(index));
  }

  /**
   * The slot a screen further up or down, in the same column or the nearest.
   * @param {number} index
   * @param {1 | -1} way
   */
  slotBeyond(index, way) {
    const rows = Math.max(1, Math.floor(this.viewHeight / this.rowHeight));
    const wished = this.topOf(this.rowOf(index)) + way * rows * this.rowHeight;
    const row = this.#sections.rowAt(clamp(wished, 0, this.height));
    const number = this.#rowOfPictures(row, way) ?? this.#rowOfPictures(row, way === 1 ? -1 : 1);
    return number === undefined ? index : this.#slotIn(number, this.columnOf(index));
  }

  /**
   * @param {number} from
   * @param {1 | -1} way
   */
  #rowOfPictures(from, way) {
    for (let number = from; number >= 0 && number < this.rows; number += way) {
      if (this.row(number).title === null) return number;
    }
    return undefined;
  }

  /**
   * @param {number} number
   * @param {number} column
   */
  #slotIn(number, column) {
    const { start, first, last } = this.row(number);
    return clamp(start + column, first, last);
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
