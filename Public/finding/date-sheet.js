import { serverTables } from '../catalog/server-tables.js';
import { enterGrid } from '../grid/entering.js';
import { nameOfMonth } from '../grid/months.js';
import { formatNumber, twoDigits } from '../page/numbers.js';
import { attachClosing } from '../page/sheet.js';
import { cloneTemplate, find } from '../page/template.js';

/** @typedef {import('../catalog/server.js').Month} Month */

/**
 * The months of the present view as a sheet. A month leads to its first picture, in an order by date if the view has
 * another one.
 */
export class DateSheet {
  #finding;
  #server;
  #pages;
  #grid;
  /** @type {HTMLDialogElement} */
  #dialog = find('#dates');
  #body = find('#dates-body');
  /** The view whose months are listed. */
  #view;
  /** Numbers the requests, so that late answers can be told apart. */
  #turn = 0;

  /**
   * @param {{finding: import('./finding.js').Finding, server: import('../catalog/server.js').Server, pages:
   *   import('../catalog/pages.js').Pages, grid: import('../grid/grid.js').Grid}} parts
   */
  constructor({ finding, server, pages, grid }) {
    this.#finding = finding;
    this.#server = server;
    this.#pages = pages;
    this.#grid = grid;
    this.#view = finding.requested;
    attachClosing(this.#dialog);
    this.#dialog.addEventListener('close', () => (this.#turn += 1));
    this.#body.addEventListener('click', ({ target }) => {
      const button = /** @type {Element} */ (target).closest('button');
      if (button?.dataset.first) this.#choose(this.#view, Number(button.dataset.first));
      else if (button?.dataset.search) this.#choose(this.#view.with({ q: button.dataset.search }), 0);
    });
  }

  async open() {
    const turn = (this.#turn += 1);
    const view = datedViewOf(this.#finding.requested);
    this.#body.replaceChildren();
    this.#body.setAttribute('aria-busy', 'true');
    this.#dialog.showModal();
    const months = await this.#monthsOf(view);
    if (turn !== this.#turn) return;
    this.#body.removeAttribute('aria-busy');
    this.#view = view;
    this.#show(months);
  }

  /**
   * @param {import('../catalog/view.js').View} view
   * @returns {Promise<Month[] | undefined>}  Undefined if they cannot be read.
   */
  async #monthsOf(view) {
    if (view.equals(this.#pages.view) && this.#pages.months.length > 0) return this.#pages.months;
    const timeline = await this.#server.timeline(view).catch(() => undefined);
    return timeline?.months;
  }

  /** @param {Month[] | undefined} months */
  #show(months) {
    if (!months?.some(({ month }) => month !== null)) {
      const note = document.createElement('p');
      note.textContent = months
        ? 'None of these pictures has a known date.'
        : 'The dates cannot be loaded at the moment.';
      this.#body.replaceChildren(note);
      return;
    }
    /** @type {Map<string, Month[]>} */
    const years = new Map();
    for (const each of months) {
      const year = each.month?.slice(0, 4) ?? '';
      years.set(year, [...(years.get(year) ?? []), each]);
    }
    const sections = [...years].map(([year, all]) => makeYear(year, all));
    this.#body.replaceChildren(makeWays(months, this.#view), ...sections);
    this.#body.querySelector('button')?.focus();
  }

  /**
   * @param {import('../catalog/view.js').View} view
   * @param {number} index  The picture to go to in the view.
   */
  async #choose(view, index) {
    this.#dialog.close();
    if (view.equals(this.#finding.requested)) this.#grid.goTo(index);
    else await this.#finding.request(view, { start: { index } });
    enterGrid(this.#grid);
  }
}

/**
 * The view itself if it is in an order by date, or else the same pictures in that order.
 * @param {import('../catalog/view.js').View} view
 */
function datedViewOf(view) {
  if (view.order.hasMonths) return view;
  const sort = serverTables.sorts.find(({ hasMonths }) => hasMonths) ?? view.order;
  return view.with({ sort: sort.name, direction: sort.beginsDescending ? 'desc' : 'asc' });
}

/**
 * The ways to the newest and the oldest picture, and to those taken on this day of any year.
 * @param {Month[]} months
 * @param {import('../catalog/view.js').View} view
 */
function makeWays(months, { direction }) {
  const dated = months.filter(({ month }) => month !== null);
  const [first, last] = [dated[0].first, dated.reduce((end, each) => Math.max(end, each.first + each.count - 1), 0)];
  const [newest, oldest] = direction === 'desc' ? [first, last] : [last, first];
  const today = new Date();
  const on = [today.getMonth() + 1, today.getDate()].map(twoDigits).join('-');
  const list = document.createElement('ul');
  list.className = 'date-ways';
  list.append(
    makeWay('Newest', { first: String(newest) }),
    makeWay('Oldest', { first: String(oldest) }),
    makeWay('On this day', { search: `on:${on}` }),
  );
  return list;
}

/**
 * @param {string} label
 * @param {{first?: string, search?: string}} destination
 */
function makeWay(label, destination) {
  const entry = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  Object.assign(button.dataset, destination);
  entry.append(button);
  return entry;
}

/**
 * @param {string} year  Empty for pictures without a date.
 * @param {Month[]} months
 */
function makeYear(year, months) {
  const section = cloneTemplate('year-template');
  find('h3', section).textContent = year || 'Date unknown';
  find('ul', section).replaceChildren(...months.map(({ month, first, count }) => {
    const entry = cloneTemplate('month-template');
    const button = find('button', entry);
    const pictures = count === 1 ? '1 picture' : `${formatNumber(count)} pictures`;
    button.dataset.first = String(first);
    button.setAttribute('aria-label', `${nameOfMonth(month)}, ${pictures}`);
    find('.month-name', entry).textContent = month ? nameOfMonth(month).replace(/ \d+$/, '') : 'Pictures';
    find('.month-count', entry).textContent = formatNumber(count);
    return entry;
  }));
  return section;
}
