import { cloneTemplate, find } from '../page/template.js';

/**
 * The heading of a part of the gallery: a row of one cell as wide as all columns, which the keys pass over. Its element
 * is used again for heading after heading.
 */
export class Heading {
  /** It has no slots. */
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

  /** @param {number} top  Pixels from the top of the layer of rows. */
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
