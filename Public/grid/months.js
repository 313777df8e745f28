import { dateLocale } from '../page/locale.js';

const names = new Intl.DateTimeFormat(dateLocale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
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
  if (months.length === 0) return [{ title: '', count: total, months: [] }];
  return months.map(({ month, count }) => ({ title: nameOfMonth(month), count, months: month ? [month] : [] }));
}

/**
 * Joins neighbouring months of a year that have few images each: a heading for each of them would take more room than
 * its images.
 * @param {import('./sections.js').Part[]} parts
 * @param {number} fewest  A month with fewer images is joined.
 * @returns {import('./sections.js').Part[]}
 */
export function joinShort(parts, fewest) {
  /** @type {import('./sections.js').Part[]} */
  const joined = [];
  let isOpen = false;
  for (const part of parts) {
    const before = joined.at(-1);
    const isShort = part.count < fewest && part.months.length === 1;
    if (before && isOpen && isShort && yearOf(before) === yearOf(part)) {
      const months = [...before.months, ...part.months];
      joined[joined.length - 1] = { title: nameOfRun(months), count: before.count + part.count, months };
    } else {
      joined.push(part);
    }
    isOpen = isShort;
  }
  return joined;
}

/** @param {import('./sections.js').Part} part */
function yearOf({ months }) {
  return months[0].slice(0, 4);
}

/**
 * `June–August 2019`, or `2019` for a run of months that fills the year.
 * @param {string[]} months  Of one year, in either direction.
 */
function nameOfRun(months) {
  const [first, last] = [months[0], months[months.length - 1]].sort();
  const year = first.slice(0, 4);
  if (first.endsWith('-01') && last.endsWith('-12')) return year;
  return `${nameOfMonth(first).replace(` ${year}`, '')}–${nameOfMonth(last)}`;
}
