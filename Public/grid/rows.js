import { find } from '../page/template.js';
import { Heading } from './heading.js';
import { Row } from './row.js';

/**
 * @typedef {import('./cell.js').Cell} Cell
 * @typedef {import('./geometry.js').Geometry} Geometry
 * @typedef {import('./sections.js').RowPlace} RowPlace
 * @typedef {(index: number) => import('../catalog/server.js').GalleryImage | undefined} ImageAt
 */

/** Rows lie on a layer, so that their coordinates are small; the layer moves when they exceed this. Pixels. */
const farthestFromOrigin = 100_000;
/** How long the grid must be at rest before its rows are sorted. Milliseconds. */
const sortAfter = 300;

/** The rows in the document, of images and of headings, and a pool of rows to reuse. */
export class Rows {
  #layer = find('#rows');
  #makeCell;
  /** @type {Map<number, Row | Heading>} */
  #shown = new Map();
  /** @type {Row[]} */
  #spareRows = [];
  /** @type {Heading[]} */
  #spareHeadings = [];
  /** The gallery's offset at the top of the layer. */
  #origin = 0;
  #layerTop = Number.NaN;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #sorting;

  /** @param {() => Cell} makeCell */
  constructor(makeCell) {
    this.#makeCell = makeCell;
  }

  /**
   * The cell that displays the slot, if one does.
   * @param {number} row
   * @param {number} index
   * @returns {Cell | undefined}
   */
  cellAt(row, index) {
    return this.#shown.get(row)?.cells.find((cell) => cell.number === index);
  }

  /**
   * The rows of images, from the top, with their contents.
   * @returns {import('./kept-rows.js').ShownRow[]}
   */
  get shown() {
    const rows = [...this.#shown.values()].flatMap((row) => (row instanceof Row && row.place ? [row] : []));
    const shown = rows.map(({ place, cells }) => ({
      place: /** @type {RowPlace} */ (place),
      images: cells.filter(({ number }) => number >= 0).map(({ image }) => image?.id),
    }));
    return shown.sort((one, other) => one.place.first - other.place.first);
  }

  *cells() {
    for (const row of this.#shown.values()) yield* row.cells;
  }

  /** @param {number} columns */
  reshape(columns) {
    for (const row of this.#shown.values()) this.#retire(row);
    this.#shown.clear();
    for (const heading of this.#spareHeadings) heading.resize(columns);
  }

  /**
   * The order has changed: the displayed rows have moved down the gallery, and stay in place on screen.
   * @param {number} slots  The number of slots that they moved, and
   * @param {Geometry} geometry  in this geometry
   * @param {number} way  the number of pixels.
   */
  move(slots, geometry, way) {
    this.#origin += way;
    /** @type {Map<number, Row | Heading>} */
    const moved = new Map();
    for (const row of this.#shown.values()) {
      const first = (row.place?.first ?? -1) + slots;
      const number = first >= 0 && first < geometry.total ? geometry.rowOf(first) : -1;
      const there = row instanceof Row ? number : (geometry.headingAbove(number)?.number ?? -1);
      const other = moved.get(there);
      if (there < 0 || (other && !holdsFocus(row))) this.#retire(row);
      else moved.set(there, row);
      if (other && moved.get(there) !== other) this.#retire(other);
    }
    this.#shown = moved;
  }

  /**
   * The focused image has another position now: its row stays in the document as the row there.
   * @param {number} index  The image's position.
   * @param {Geometry} geometry
   * @param {ImageAt} imageAt
   */
  moveFocused(index, geometry, imageAt) {
    const number = geometry.rowOf(index);
    const [held, row] = [...this.#shown].find(([, each]) => holdsFocus(each)) ?? [];
    if (held === undefined || !(row instanceof Row) || (held !== number && this.#shown.has(number))) return;
    this.#shown.delete(held);
    this.#shown.set(number, row);
    const place = geometry.row(number);
    const column = row.cells.findIndex(({ element }) => element.contains(document.activeElement));
    if (column === index - place.start) row.renumber(place);
    else row.bind(place, imageAt);
  }

  /**
   * Puts exactly these rows into the document, both inclusive.
   * @param {number} from
   * @param {number} to
   * @param {Geometry} geometry
   * @param {number} shift  From an offset in the gallery to one in the scrolled element, in pixels.
   * @param {ImageAt} imageAt
   */
  show(from, to, geometry, shift, imageAt) {
    if (this.#sorting !== undefined) this.sortSoon();
    // Blank rows are left to the background.
    const places = [...geometry.rowsBetween(from, to)].filter(({ title, lefts }) => title !== null || lefts);
    const wanted = new Set(places.map(({ number }) => number));
    this.#recycle(wanted, geometry.rows);
    if (to < from) return;
    this.#layDown(geometry.topOf(from), shift);
    for (const place of places) {
      const row = this.#rowFor(place, geometry.columns);
      row.moveTo(place.top - this.#origin);
      row.bind(place, imageAt);
    }
    this.#keepOutOfSight(wanted, from, to, geometry);
  }

  /**
   * Rows are reused in any sequence; assistive technology should meet them from top to bottom. They are not sorted at
   * each pause of a scroll, because the browser lays out again every row that moves in the document.
   */
  sortSoon() {
    clearTimeout(this.#sorting);
    this.#sorting = setTimeout(() => this.#sort(), sortAfter);
  }

  #sort() {
    this.#sorting = undefined;
    /** @type {Element | null} */
    let before = null;
    for (const [, row] of [...this.#shown].sort(([one], [other]) => other - one)) {
      const isInPlace = row.element.nextElementSibling === before;
      if (!isInPlace && !holdsFocus(row)) this.#put(row.element, before);
      before = row.element;
    }
  }

  /**
   * @param {HTMLElement} element
   * @param {Element | null} before
   */
  #put(element, before) {
    // Moving an element without removing it keeps its animations running, in browsers that can.
    if (this.#layer.moveBefore) this.#layer.moveBefore(element, before);
    else this.#layer.insertBefore(element, before);
  }

  /**
   * A row that holds the focus stays, wherever it is: the focus must not pass to another image by itself.
   * @param {Set<number>} wanted
   * @param {number} count  The number of rows in the gallery.
   */
  #recycle(wanted, count) {
    for (const [number, row] of this.#shown) {
      if (wanted.has(number) || (number < count && holdsFocus(row))) continue;
      this.#shown.delete(number);
      this.#retire(row);
    }
  }

  /** @param {Row | Heading} row */
  #retire(row) {
    row.unbind();
    if (row instanceof Row) this.#spareRows.push(row);
    else this.#spareHeadings.push(row);
  }

  /**
   * @param {RowPlace} place
   * @param {number} columns
   */
  #rowFor({ number, title }, columns) {
    const isHeading = title !== null;
    const shown = this.#shown.get(number);
    if (shown && shown instanceof Heading === isHeading) return shown;
    if (shown) this.#retire(shown);
    const row = (isHeading ? this.#spareHeadings : this.#spareRows).pop() ?? this.#make(isHeading, columns);
    this.#shown.set(number, row);
    return row;
  }

  /**
   * @param {boolean} isHeading
   * @param {number} columns
   */
  #make(isHeading, columns) {
    const row = isHeading ? new Heading() : new Row(this.#makeCell);
    if (row instanceof Heading) row.resize(columns);
    this.#layer.append(row.element);
    return row;
  }

  /**
   * @param {number} top  Of the first row.
   * @param {number} shift
   */
  #layDown(top, shift) {
    if (Math.abs(top - this.#origin) > farthestFromOrigin) this.#origin = top;
    const layerTop = this.#origin + shift;
    if (layerTop === this.#layerTop) return;
    this.#layerTop = layerTop;
    this.#layer.style.transform = `translateY(${layerTop}px)`;
  }

  /**
   * Keeps the focused row just off the screen: its own offset may be further than a browser can position it.
   * @param {Set<number>} wanted
   * @param {number} from
   * @param {number} to
   * @param {Geometry} geometry
   */
  #keepOutOfSight(wanted, from, to, geometry) {
    for (const [number, row] of this.#shown) {
      if (wanted.has(number)) continue;
      const edge = geometry.topOf(number < from ? from : to) - this.#origin;
      row.moveTo(edge + (number < from ? -2 : 2) * geometry.rowHeight);
    }
  }
}

/** @param {Row | Heading} row */
function holdsFocus(row) {
  return row.element.contains(document.activeElement);
}
