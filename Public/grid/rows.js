import { find } from '../page/template.js';
import { Row } from './row.js';

/**
 * @typedef {import('./cell.js').Cell} Cell
 * @typedef {import('./geometry.js').Geometry} Geometry
 */

/** The rows that are in the document, and those that wait to be used again. */
export class Rows {
  /** Rows lie on a layer, so that their own places are small numbers; beyond so many rows the layer is moved. */
  static #reach = 500;

  #layer = find('#rows');
  #makeCell;
  /** @type {Map<number, Row>} */
  #shown = new Map();
  /** @type {Row[]} */
  #spare = [];
  /** The row that lies at the top of the layer. */
  #origin = 0;
  #layerTop = Number.NaN;

  /** @param {() => Cell} makeCell */
  constructor(makeCell) {
    this.#makeCell = makeCell;
  }

  /**
   * The cell that shows the slot now, if one does.
   * @param {number} row
   * @param {number} column
   * @returns {Cell | undefined}
   */
  cellAt(row, column) {
    return this.#shown.get(row)?.cells[column];
  }

  *cells() {
    for (const row of this.#shown.values()) yield* row.cells;
  }

  /** @param {number} columns */
  reshape(columns) {
    for (const row of this.#shown.values()) this.#retire(row);
    this.#shown.clear();
    for (const row of this.#spare) row.resize(columns, this.#makeCell);
  }

  /**
   * The order has changed: what is shown stands so many rows further down the gallery, and stays where it is.
   * @param {number} by
   */
  move(by) {
    this.#origin += by;
    this.#shown = new Map([...this.#shown].map(([number, row]) => [number + by, row]));
  }

  /**
   * The picture that has the focus stands elsewhere now: its row is kept in the document as the row there.
   * @param {number} index  Where it stands.
   * @param {Geometry} geometry
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  moveFocused(index, geometry, imageAt) {
    const number = geometry.rowOf(index);
    const [held, row] = [...this.#shown].find(([, each]) => holdsFocus(each)) ?? [];
    if (held === undefined || !row || (held !== number && this.#shown.has(number))) return;
    this.#shown.delete(held);
    this.#shown.set(number, row);
    const column = row.cells.findIndex(({ element }) => element.contains(document.activeElement));
    if (column === geometry.columnOf(index)) row.renumber(number, geometry);
    else row.bind(number, geometry, imageAt);
  }

  /**
   * Has these rows in the document, both inclusive, and no others.
   * @param {number} from
   * @param {number} to
   * @param {Geometry} geometry
   * @param {number} shift  From a place in the gallery to its place in the scrolled element, in pixels.
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  show(from, to, geometry, shift, imageAt) {
    this.#recycle(from, to, geometry.rows);
    this.#layDown(from, geometry, shift);
    for (let number = from; number <= to; number += 1) {
      const row = this.#shown.get(number) ?? this.#take(number, geometry.columns);
      row.place((number - this.#origin) * geometry.rowHeight);
      row.bind(number, geometry, imageAt);
    }
    this.#keepOutOfSight(from, to, geometry.rowHeight);
  }

  /** Rows are used again in any order; who listens to the page, or walks through it, should meet them from the top. */
  sort() {
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
    // Where a browser can move an element without taking it out, its animations go on.
    if ('moveBefore' in this.#layer) /** @type {any} */ (this.#layer).moveBefore(element, before);
    else this.#layer.insertBefore(element, before);
  }

  /**
   * A row that holds the focus stays, wherever it is: focus must not pass to another picture without being moved.
   * @param {number} from
   * @param {number} to
   * @param {number} count  How many rows the gallery has.
   */
  #recycle(from, to, count) {
    for (const [number, row] of this.#shown) {
      if ((number >= from && number <= to) || (number < count && holdsFocus(row))) continue;
      this.#shown.delete(number);
      this.#retire(row);
    }
  }

  /** @param {Row} row */
  #retire(row) {
    row.unbind();
    this.#spare.push(row);
  }

  /**
   * @param {number} number
   * @param {number} columns
   */
  #take(number, columns) {
    const row = this.#spare.pop() ?? this.#make(columns);
    this.#shown.set(number, row);
    return row;
  }

  /** @param {number} columns */
  #make(columns) {
    const row = new Row();
    row.resize(columns, this.#makeCell);
    this.#layer.append(row.element);
    return row;
  }

  /**
   * @param {number} from
   * @param {Geometry} geometry
   * @param {number} shift
   */
  #layDown(from, geometry, shift) {
    if (Math.abs(from - this.#origin) > Rows.#reach) this.#origin = from;
    const top = geometry.topOf(this.#origin) + shift;
    if (top === this.#layerTop) return;
    this.#layerTop = top;
    this.#layer.style.transform = `translateY(${top}px)`;
  }

  /**
   * The row that is kept for its focus lies just off the screen: its own place may be further than a browser can go.
   * @param {number} from
   * @param {number} to
   * @param {number} rowHeight
   */
  #keepOutOfSight(from, to, rowHeight) {
    for (const [number, row] of this.#shown) {
      if (number >= from && number <= to) continue;
      row.place(((number < from ? from - 2 : to + 2) - this.#origin) * rowHeight);
    }
  }
}

/** @param {Row} row */
function holdsFocus(row) {
  return row.element.contains(document.activeElement);
}
