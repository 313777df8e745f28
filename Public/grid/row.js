import { Cell } from './cell.js';

/** One row of the grid on screen; used again for row after row. */
export class Row {
  /** Its number in the gallery, or -1 while it waits to be used. */
  number = -1;
  /** @type {Cell[]} */
  cells = [];
  #top = Number.NaN;

  constructor() {
    this.element = document.createElement('div');
    this.element.className = 'row';
    this.element.setAttribute('role', 'row');
  }

  /**
   * @param {number} columns
   * @param {() => Cell} makeCell
   */
  resize(columns, makeCell) {
    for (const cell of this.cells.splice(columns)) {
      cell.unbind();
      cell.element.remove();
    }
    while (this.cells.length < columns) {
      const cell = makeCell();
      cell.element.setAttribute('aria-colindex', String(this.cells.length + 1));
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
   * @param {number} number
   * @param {number} total
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  bind(number, total, imageAt) {
    if (number !== this.number) {
      this.number = number;
      this.element.setAttribute('aria-rowindex', String(number + 1));
      this.element.hidden = false;
    }
    const first = number * this.cells.length;
    this.cells.forEach((cell, column) => {
      const index = first + column;
      cell.element.hidden = index >= total;
      if (index < total) cell.bind(index, imageAt(index));
      else if (cell.number >= 0) cell.unbind();
    });
  }

  unbind() {
    this.number = -1;
    this.element.hidden = true;
    for (const cell of this.cells) cell.unbind();
  }
}
