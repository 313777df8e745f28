import { announce } from './announcer.js';
import { showFieldProblem } from './field-problem.js';
import { loadLater } from './loading-later.js';
import { formatNumber, indexOfNumber } from './numbers.js';
import { attachKey } from './key-bindings.js';
import { find } from './template.js';

/**
 * The bar at the top: the present position and the total. Typing a number over the position (`g` focuses it) goes to
 * that image; in an order with months, a day, a month or a year works, too.
 */
export class Header {
  #grid;
  #pages;
  #server;
  #form = find('#position');
  /** @type {HTMLInputElement} */
  #field = find('#position-number');
  #total = find('#position-total');
  #shownTotal = -1;

  /**
   * @param {import('../grid/grid.js').Grid} grid
   * @param {Pick<import('../catalog/pages.js').Pages, 'months' | 'view'>} pages
   * @param {import('../catalog/server.js').Server} server
   */
  constructor(grid, pages, server) {
    this.#grid = grid;
    this.#pages = pages;
    this.#server = server;
    grid.addEventListener('move', () => this.#show());
    this.#field.addEventListener('focus', () => this.#field.select());
    this.#field.addEventListener('blur', () => this.#leave());
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.preventDefault();
      if (this.#grid.total > 0) this.#grid.focus(this.#grid.active);
      else this.#field.blur();
    });
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#go();
    });
    attachKey('g', () => this.#field.focus());
  }

  #show() {
    const { total } = this.#grid;
    this.#form.hidden = total === 0;
    if (total !== this.#shownTotal) {
      this.#shownTotal = total;
      this.#total.textContent = formatNumber(total);
      this.#field.style.setProperty('--digits', String(formatNumber(total).length));
    }
    const hasMonths = this.#pages.months.length > 0;
    if (this.#form.hasAttribute('data-months') !== hasMonths) this.#offerMonths(hasMonths);
    if (document.activeElement !== this.#field) this.#field.value = formatNumber(this.#grid.position + 1);
  }

  /** @param {boolean} areThere */
  #offerMonths(areThere) {
    this.#form.toggleAttribute('data-months', areThere);
    // Months have letters.
    this.#field.inputMode = areThere ? 'text' : 'numeric';
    this.#field.title = areThere
      ? 'Go to a number or date, such as 2019-06 or June 3, 2019 (g)'
      : 'Go to picture number (g)';
  }

  #leave() {
    showFieldProblem(this.#field, '');
    this.#show();
  }

  async #go() {
    const { months, view } = this.#pages;
    const text = this.#field.value;
    // A number needs nothing from the server, unless it may be a year.
    let index = months.length > 0 ? null : indexOfNumber(text);
    const later = index === null ? await loadLater() : undefined;
    if (later) {
      const day = months.length > 0 ? later.dayIn(text) : null;
      // A day that the server does not know leads to the first image of its month.
      const found = day === null ? undefined : await this.#indexOf(day);
      index = found ?? later.destinationOf(day?.slice(0, 7) ?? text, { months, direction: view.direction });
    }
    index ??= indexOfNumber(text);
    // The user has moved on meanwhile.
    if (view !== this.#pages.view || text !== this.#field.value) return;
    if (index === null) {
      this.#field.select();
      if (later) showFieldProblem(this.#field, later.adviceOn(text, { hasMonths: months.length > 0, total: this.#grid.total }));
      return;
    }
    this.#grid.goTo(index);
    this.#grid.focus(this.#grid.active);
    announce(`Picture ${formatNumber(this.#grid.active + 1)} of ${formatNumber(this.#grid.total)}`);
  }

  /**
   * The first image of a day in the order, or the next one after it; undefined if the server does not know.
   * @param {string} day
   */
  async #indexOf(day) {
    const { view } = this.#pages;
    const range = view.direction === 'desc' ? `..${day}` : `${day}..`;
    try {
      const { images } = await this.#server.page(view.with({ q: `${view.q} taken:${range}` }), 0, 1);
      return images.length > 0 ? await this.#server.position(view, images[0].id) : undefined;
    } catch {
      // The months are loaded, and lead near it.
      return undefined;
    }
  }
}
