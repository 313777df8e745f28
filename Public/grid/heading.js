import { cloneTemplate, find } from '../page/template.js';

/**
 * The heading of a part of the gallery: a row with one cell across all columns, which the keyboard skips. Its element
 * is reused.
 */
export class Heading {
  /**
   * A heading has no slots.
   * @type {import('./cell.js').Cell[]}
   */
  cells = [];
  #title;
  #cell;
  #top = Number.NaN;
  /** @type {import('./sections.js').RowPlace | null} */
  place = null;

  constructor() {
    this.element = cloneTemplate('heading-template');
    this.#cell = find('[role=gridcell]', this.element);
    this.#title = find('h2', this.element);
  }

  /** @param {number} columns */
  resize(columns) {
    this.#cell.setAttribute('aria-colspan', String(columns));
  }

  /** @param {number} top  Pixels from the top of the row layer. */
  moveTo(top) {
    if (top === this.#top) return;
    this.#top = top;
    this.element.style.transform = `translateY(${top}px)`;
  }

  /** @param {import('./sections.js').RowPlace} place */
  bind(place) {
    const { number, title } = place;
    this.place = place;
    this.element.hidden = false;
    this.element.setAttribute('aria-rowindex', String(number + 1));
    if (this.#title.textContent !== title) this.#title.textContent = title;
  }

  unbind() {
    this.place = null;
    this.element.hidden = true;
  }
}
