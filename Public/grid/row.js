import { Cell } from './cell.js';

/** @typedef {import('./sections.js').RowPlace} RowPlace */

/** One row of pictures on screen; its element is used again for row after row. */
export class Row {
  /** @type {Cell[]} */
  cells = [];
  #makeCell;
  #number = -1;
  #top = Number.NaN;

  /** @param {() => Cell} makeCell */
  constructor(makeCell) {
    this.#makeCell = makeCell;
    this.element = document.createElement('div');
    this.element.className = 'row';
    this.element.setAttribute('role', 'row');
  }

  /** @param {number} columns */
  resize(columns) {
    for (const cell of this.cells.splice(columns)) {
      cell.unbind();
      cell.element.remove();
    }
    while (this.cells.length < columns) {
      const cell = this.#makeCell();
      cell.element.setAttribute('aria-colindex', String(this.cells.length + 1));
      // Where the first places of a row are empty, the others stay in their columns.
      cell.element.style.gridColumn = String(this.cells.length + 1);
      this.cells.push(cell);
      this.element.append(cell.element);
    }
  }

  /** @param {number} top  Pixels from the top of the layer of rows. */
  place(top) {
    if (top === this.#top) return;
    this.#top = top;
    this.element.style.transform = `translateY(${top}px)`;
  }

  /**
   * @param {RowPlace} place
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  bind({ number, start, first, last }, imageAt) {
    this.#take(number);
    this.cells.forEach((cell, column) => {
      const index = start + column;
      const isSlot = index >= first && index <= last;
      cell.element.hidden = !isSlot;
      if (isSlot) cell.bind(index, imageAt(index));
      else if (cell.number >= 0) cell.unbind();
    });
  }

  /**
   * What the row shows stands elsewhere in the order now.
   * @param {RowPlace} place
   */
  renumber({ number, start }) {
    this.#take(number);
    this.cells.forEach((cell, column) => cell.number >= 0 && cell.renumber(start + column));
  }

  /** @param {number} number */
  #take(number) {
    if (number === this.#number) return;
    this.#number = number;
    this.element.setAttribute('aria-rowindex', String(number + 1));
    this.element.hidden = false;
  }

  unbind() {
    this.#number = -1;
    this.element.hidden = true;
    for (const cell of this.cells) cell.unbind();
  }
}
