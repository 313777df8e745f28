/**
 * @typedef {import('./cell.js').Cell} Cell
 * @typedef {import('./sections.js').RowPlace} RowPlace
 */

/** A row of images on screen; its element is reused. */
export class Row {
  /** @type {Cell[]} */
  cells = [];
  /**
   * The row's position and slots.
   * @type {RowPlace | null}
   */
  place = null;
  #makeCell;
  #top = Number.NaN;
  #room = 0;

  /** @param {() => Cell} makeCell */
  constructor(makeCell) {
    this.#makeCell = makeCell;
    this.element = document.createElement('div');
    this.element.className = 'row';
    this.element.setAttribute('role', 'row');
  }

  /**
   * Rows may have different numbers of cells: superfluous ones are hidden.
   * @param {number} count
   */
  #makeCells(count) {
    while (this.cells.length < count) {
      const cell = this.#makeCell();
      cell.element.setAttribute('aria-colindex', String(this.cells.length + 1));
      cell.element.hidden = true;
      this.cells.push(cell);
      this.element.append(cell.element);
    }
  }

  /** @param {number} top  Pixels from the top of the row layer. */
  moveTo(top) {
    if (top === this.#top) return;
    this.#top = top;
    this.element.style.transform = `translateY(${top}px)`;
  }

  /**
   * @param {RowPlace} place
   * @param {(index: number) => import('../catalog/server.js').GalleryImage | undefined} imageAt
   */
  bind(place, imageAt) {
    this.#take(place);
    const { start, first, last, height, lefts = [], widths = [] } = place;
    this.#makeCells(last - start + 1);
    this.cells.forEach((cell, column) => {
      const index = start + column;
      const isSlot = index >= first && index <= last;
      if (cell.element.hidden === isSlot) cell.element.hidden = !isSlot;
      if (isSlot) {
        cell.lay(lefts[column], widths[column], height);
        cell.bind(index, imageAt(index));
      } else if (cell.number >= 0) {
        cell.unbind();
      }
    });
  }

  /**
   * The row's images have other positions in the order now.
   * @param {RowPlace} place
   */
  renumber(place) {
    this.#take(place);
    this.cells.forEach((cell, column) => cell.number >= 0 && cell.renumber(place.start + column));
  }

  /** @param {RowPlace} place */
  #take(place) {
    const { number, room } = place;
    if (number !== this.place?.number) this.element.setAttribute('aria-rowindex', String(number + 1));
    if (this.element.hidden) this.element.hidden = false;
    if (room !== this.#room) this.element.style.height = `${room}px`;
    this.#room = room;
    this.place = place;
  }

  unbind() {
    this.place = null;
    this.element.hidden = true;
    for (const cell of this.cells) if (cell.number >= 0) cell.unbind();
  }
}
