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
   * @param {number} number
   * @param {import('./geometry.js').Geometry} geometry
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  bind(number, geometry, imageAt) {
    this.#take(number);
    const first = geometry.firstOf(number);
    this.cells.forEach((cell, column) => {
      const index = first + column;
      const isSlot = index >= 0 && index < geometry.total;
      cell.element.hidden = !isSlot;
      if (isSlot) cell.bind(index, imageAt(index));
      else if (cell.number >= 0) cell.unbind();
    });
  }

  /**
   * What the row shows stands elsewhere in the order now.
   * @param {number} number
   * @param {import('./geometry.js').Geometry} geometry
   */
  renumber(number, geometry) {
    this.#take(number);
    const first = geometry.firstOf(number);
    this.cells.forEach((cell, column) => cell.number >= 0 && cell.renumber(first + column));
  }

  /** @param {number} number */
  #take(number) {
    if (number === this.number) return;
    this.number = number;
    this.element.setAttribute('aria-rowindex', String(number + 1));
    this.element.hidden = false;
  }

  unbind() {
    this.number = -1;
    this.element.hidden = true;
    for (const cell of this.cells) cell.unbind();
  }
}
