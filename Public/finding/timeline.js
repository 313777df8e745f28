/**
 * The months of the pictures that are shown, where they are sorted by the date they were taken. Fetched once an order,
 * when somebody goes a long way.
 */
export class Timeline {
  static #names = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

  #pages;
  #server;
  /** @type {import('../catalog/server.js').Month[]} */
  #months = [];
  /** The order that the months are of, or are asked for. */
  #order = '';

  /**
   * @param {Pick<import('../catalog/pages.js').Pages, 'view' | 'revision'>} pages
   * @param {Pick<import('../catalog/server.js').Server, 'timeline'>} server
   */
  constructor(pages, server) {
    this.#pages = pages;
    this.#server = server;
  }

  /**
   * The month in which the picture in this slot was taken, for people; empty where that is not known (yet).
   * @param {number} index
   */
  monthAt(index) {
    const { view, revision } = this.#pages;
    if (view.sort !== 'taken') return '';
    const order = `${view.text} ${revision}`;
    if (order !== this.#order) this.#fetch(order);
    const month = this.#months[lastAt(this.#months, index)]?.month;
    return month ? Timeline.#names.format(new Date(`${month}-01T00:00:00Z`)) : '';
  }

  /** @param {string} order */
  async #fetch(order) {
    // The months of the order before are nearly right until the new ones are here, unless it was of another view.
    if (order.split(' ')[0] !== this.#order.split(' ')[0]) this.#months = [];
    this.#order = order;
    try {
      const { months } = await this.#server.timeline(this.#pages.view);
      if (order === this.#order) this.#months = months;
    } catch {
      // Then there is the number alone.
    }
  }
}

/**
 * The last month that begins at `index` or before.
 * @param {import('../catalog/server.js').Month[]} months
 * @param {number} index
 */
function lastAt(months, index) {
  let from = 0;
  let to = months.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (months[middle].first <= index) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
