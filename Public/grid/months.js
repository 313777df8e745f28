const names = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
/** @type {Map<string, string>} */
const known = new Map();

/**
 * The name of a month: `June 2019`.
 * @param {string | null} month  `2019-06`; null for images without a date.
 */
export function nameOfMonth(month) {
  if (month === null) return 'Date unknown';
  let name = known.get(month);
  if (name === undefined) {
    const date = new Date(`${month}-01T00:00:00Z`);
    name = Number.isNaN(date.valueOf()) ? month : names.format(date);
    known.set(month, name);
  }
  return name;
}

/**
 * The parts of an order: its months, or one part without a title.
 * @param {Pick<import('../catalog/pages.js').Pages, 'months' | 'total'>} order
 * @returns {import('./sections.js').Part[]}
 */
export function partsOf({ months, total = 0 }) {
  if (months.length === 0) return [{ title: '', count: total }];
  return months.map(({ month, count }) => ({ title: nameOfMonth(month), count }));
}
