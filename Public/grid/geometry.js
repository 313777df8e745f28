import { Sections } from './sections.js';

/**
 * @typedef {import('./sections.js').Part} Part
 * @typedef {import('./sections.js').RowPlace} RowPlace
 * @typedef {import('./tile-layout.js').TileLayout | import('./justified-layout.js').JustifiedLayout} Layout
 */

/** Rows of pictures kept in the document beyond each edge of the screen. */
export const overscan = 2;
/** The document holds at most 150 <img>, of which the viewer needs a few. */
export const mostCells = 140;

/**
 * Where the slots are: in rows, under headings if the order has parts. All lengths are CSS pixels from the top of the
 * gallery, whatever its size; `ScrollMap` handles what the browser can really scroll. Rows have ascending numbers, of
 * which some may be unused.
 */
export class Geometry {
  #sections;

  /**
   * @param {{height: number, parts: Part[], layout: Layout, heading?: number}} given  `height` of the visible part of
   *   the grid, `heading` the height of a heading.
   */
  constructor({ height, parts, layout, heading = 0 }) {
    this.layout = layout;
    this.gap = layout.gap;
    this.viewHeight = height;
    this.parts = parts;
    /** The most columns in a row. */
    this.columns = layout.columns;
    this.rowHeight = layout.pitch;
    this.#sections = new Sections(parts, heading, (title, count, first) => layout.lay(title, count, first));
    this.total = this.#sections.total;
    this.rows = this.#sections.rows;
    this.height = Math.max(0, this.#sections.height - this.gap);
  }

  /** The largest offset. */
  get furthest() {
    return Math.max(0, this.height - this.viewHeight);
  }

  /** The empty places at the start of parts, by title. */
  get leads() {
    /** @type {Map<string, number>} */
    const leads = new Map();
    for (const { title, inside } of this.#sections) {
      if ('lead' in inside && inside.lead > 0) leads.set(title, inside.lead);
    }
    return leads;
  }

  /** Whether anything differs from the layout of a freshly opened gallery. */
  get isBent() {
    return this.leads.size > 0 || (this.layout.bent?.runs.length ?? 0) > 0;
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
    return index - this.row(this.rowOf(index)).start;
  }

  /**
   * @param {number} number  The row's number; headings count.
   * @returns {RowPlace}
   */
  row(number) {
    return this.#sections.row(number) ?? { ...noRow, number };
  }

  /**
   * The heading directly above the row, if there is one.
   * @param {number} number
   */
  headingAbove(number) {
    const above = number > 0 ? this.#sections.row(number - 1) : undefined;
    return above && above.title !== null ? above : undefined;
  }

  /** @param {number} number */
  topOf(number) {
    return this.row(number).top;
  }

  /**
   * The next row in use; undefined beyond the ends.
   * @param {number} number
   * @param {1 | -1} way
   */
  rowBeside(number, way) {
    for (let next = number + way; next >= 0 && next < this.rows; next += way) {
      const place = this.#sections.row(next);
      if (place) return place;
    }
    return undefined;
  }

  /**
   * The title of the slot's part; empty if it has none.
   * @param {number} index
   */
  titleAt(index) {
    return this.#sections.withSlot(index).title;
  }

  /**
   * The part at the top of the screen: its title, its months, where its images begin and where it ends.
   * @param {number} offset
   */
  partAt(offset) {
    const { title, months, top, heading, inside } = this.#sections.at(offset);
    return { title, months, begin: top + heading, end: top + heading + inside.height };
  }

  /**
   * Whether an image's part consists of several months.
   * @param {number} index
   */
  isAmongMonths(index) {
    return this.#sections.withSlot(index).months.length > 1;
  }

  /**
   * The offset at which the slot's row, or a heading directly above it, is at the top of the screen.
   * @param {number} index
   */
  startOf(index) {
    return this.#startOfRow(this.rowOf(index));
  }

  /** @param {number} number */
  #startOfRow(number) {
    return this.headingAbove(number)?.top ?? this.topOf(number);
  }

  /**
   * The rows on screen, both inclusive; `last` is before `first` in an empty gallery.
   * @param {number} offset
   */
  rowsAt(offset) {
    if (this.rows === 0) return { first: 0, last: -1 };
    const { number, top, height } = this.row(this.#sections.rowAt(offset));
    // Only the gap of a row that ends here is visible.
    const below = top + height <= offset ? this.rowBeside(number, 1) : undefined;
    return { first: below?.number ?? number, last: this.#sections.rowAt(offset + this.viewHeight - 1) };
  }

  /**
   * The rows on screen and the overscan rows, as far as the document may hold them.
   * @param {number} offset
   */
  rowsAround(offset) {
    let { first, last } = this.rowsAt(offset);
    let room = mostCells - Math.max(...this.#counts(first, last));
    for (const place of this.rowsBetween(first, last)) room -= place.last - place.first + 1;
    for (let beyond = 0; beyond < 2 * overscan; beyond += 1) {
      const way = beyond % 2 === 0 ? 1 : -1;
      const next = this.#rowOfPictures(way === 1 ? last : first, way);
      if (!next || next.last - next.first + 1 > room) continue;
      room -= next.last - next.first + 1;
      if (way === 1) last = next.number;
      else first = next.number;
    }
    return { first: this.headingAbove(first)?.number ?? first, last };
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #counts(first, last) {
    return [0, ...[...this.rowsBetween(first, last)].map((place) => place.last - place.first + 1)];
  }

  /**
   * @param {number} first
   * @param {number} last  Inclusive.
   */
  *rowsBetween(first, last) {
    for (let number = first; number <= last; number += 1) {
      const place = this.#sections.row(number);
      if (place) yield place;
    }
  }

  /**
   * The slots on screen, both inclusive.
   * @param {number} offset
   */
  slotsAt(offset) {
    const { first, last } = this.rowsAt(offset);
    return last < first ? { first: 0, last: -1 } : { first: this.row(first).first, last: this.row(last).last };
  }

  /**
   * The size that images on screen need, in CSS pixels of one side.
   * @param {number} offset
   */
  neededAt(offset) {
    const { first, last } = this.rowsAt(offset);
    let highest = 0;
    for (const { height } of this.rowsBetween(first, last)) highest = Math.max(highest, height);
    return { length: this.layout.neededBy(highest), side: this.layout.side };
  }

  /**
   * The first slot on screen at an offset that may lie beyond the ends.
   * @param {number} offset
   */
  landingSlot(offset) {
    return Math.max(0, this.slotsAt(clamp(offset, 0, this.furthest)).first);
  }

  /**
   * Slots per pixel of height, around the viewport.
   * @param {number} offset
   */
  densityAt(offset) {
    const { first, last } = this.rowsAt(offset);
    if (last < first) return 0;
    const [one, other] = [this.row(first), this.row(last)];
    return Math.max(1, other.last - one.first + 1) / (other.top + other.height + this.gap - one.top);
  }

  /**
   * The distance of a row's middle from the middle of the screen.
   * @param {number} number
   * @param {number} offset
   */
  distance(number, offset) {
    const { top, height } = this.row(number);
    return Math.abs(top + height / 2 - offset - this.viewHeight / 2);
  }

  /**
   * The offset nearest to `offset` at which the whole row is on screen; coming from below, its heading too.
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
   * The first slot of the topmost row that is completely on screen, or else of the one that is cut.
   * @param {number} offset
   */
  firstWholeSlot(offset) {
    const { first, last } = this.rowsAt(offset);
    const top = this.row(first);
    const whole = first < last && top.top < offset ? (this.rowBeside(first, 1) ?? top) : top;
    return clamp(whole.first, 0, Math.max(0, this.total - 1));
  }

  /**
   * The slot at a point of the gallery, or the one before it in the row there.
   * @param {number} x
   * @param {number} y
   */
  slotAt(x, y) {
    const number = this.#sections.rowAt(clamp(y, 0, this.height));
    const row = this.row(number).title === null ? this.row(number) : (this.#rowOfPictures(number, 1) ?? this.row(number));
    const { start, first, last, lefts = [] } = row;
    let slot = first;
    while (slot < last && lefts[slot + 1 - start] <= x) slot += 1;
    return slot;
  }

  /**
   * The slot above or below whose middle is nearest, skipping headings; in the first and the last row the slot itself.
   * @param {number} index
   * @param {1 | -1} way
   */
  slotBeside(index, way) {
    const row = this.#rowOfPictures(this.rowOf(index), way);
    return row === undefined ? index : this.#slotIn(row, this.#middleOf(index));
  }

  /**
   * The slot a screen further up or down whose middle is nearest.
   * @param {number} index
   * @param {1 | -1} way
   */
  slotBeyond(index, way) {
    const rows = Math.max(1, Math.floor(this.viewHeight / this.rowHeight));
    const wished = this.topOf(this.rowOf(index)) + way * rows * this.rowHeight;
    const at = this.row(this.#sections.rowAt(clamp(wished, 0, this.height)));
    const row = at.title === null ? at : (this.#rowOfPictures(at.number, way) ?? this.#rowOfPictures(at.number, 1));
    return row === undefined ? index : this.#slotIn(row, this.#middleOf(index));
  }

  /**
   * The next row of images above or below.
   * @param {number} from
   * @param {1 | -1} way
   */
  #rowOfPictures(from, way) {
    let place = this.rowBeside(from, way);
    while (place && place.title !== null) place = this.rowBeside(place.number, way);
    return place;
  }

  /** @param {number} index */
  #middleOf(index) {
    const { start, lefts, widths } = this.row(this.rowOf(index));
    return lefts && widths ? lefts[index - start] + widths[index - start] / 2 : 0;
  }

  /**
   * @param {RowPlace} row
   * @param {number} x
   */
  #slotIn({ start, first, last, lefts, widths }, x) {
    if (!lefts || !widths) return first;
    let best = first;
    const far = (/** @type {number} */ slot) => Math.abs(lefts[slot - start] + widths[slot - start] / 2 - x);
    for (let slot = first + 1; slot <= last; slot += 1) if (far(slot) < far(best)) best = slot;
    return best;
  }
}

/** Stands for a missing row. */
const noRow = { top: 0, height: 0, room: 0, title: null, start: 0, first: 0, last: -1 };

/**
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export function clamp(value, least, most) {
  return Math.max(least, Math.min(most, value));
}
