import { announce } from './announcer.js';
import { formatNumber, parseNumber } from './numbers.js';
import { find } from './template.js';

/** The bar at the top: where one is and of how many, and going elsewhere by typing a number over it. */
export class Header {
  #grid;
  #form = find('#position');
  /** @type {HTMLInputElement} */
  #field = find('#position-number');
  #total = find('#position-total');
  #shownTotal = -1;

  /** @param {import('../grid/grid.js').Grid} grid */
  constructor(grid) {
    this.#grid = grid;
    grid.addEventListener('move', () => this.#show());
    this.#field.addEventListener('focus', () => this.#field.select());
    this.#field.addEventListener('blur', () => this.#show());
    this.#field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#field.blur();
    });
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#go();
    });
  }

  #show() {
    const { total } = this.#grid;
    this.#form.hidden = total === 0;
    if (total !== this.#shownTotal) {
      this.#shownTotal = total;
      this.#total.textContent = formatNumber(total);
      this.#field.style.setProperty('--digits', String(formatNumber(total).length));
    }
    if (document.activeElement !== this.#field) this.#field.value = formatNumber(this.#grid.position + 1);
  }

  #go() {
    const number = parseNumber(this.#field.value);
    if (number === null || number < 1) {
      this.#field.select();
      announce(`Type a number from 1 to ${formatNumber(this.#grid.total)}.`);
      return;
    }
    this.#grid.goTo(number - 1);
    this.#grid.focus(this.#grid.active);
    announce(`Picture ${formatNumber(this.#grid.active + 1)} of ${formatNumber(this.#grid.total)}`);
  }
}
