import { nameOfMonth } from '../grid/months.js';
import { monthOf } from '../page/destination.js';
import { twoDigits } from '../page/numbers.js';

/** The year of the first photograph. */
const firstYear = 1826;

/**
 * What to type instead of a date that the search takes for words; empty if there is none in the text.
 * @param {string} text  `31 June 2019`, `June 31, 2019`, `06/2019`, `14.6.2019`.
 */
export function adviceOnDate(text) {
  return adviceOnDay(text) || adviceOnNumbers(text);
}

/**
 * A month by name, with a day that it does not have.
 * @param {string} text
 */
function adviceOnDay(text) {
  const before = text.match(/(?:^|\s)(\d{1,2})\s+(\p{L}{3,})\s+(\d{4})(?=\s|$)/u);
  const after = text.match(/(?:^|\s)(\p{L}{3,})\s+(\d{1,2}),?\s+(\d{4})(?=\s|$)/u);
  const [day, name, year] = before?.slice(1) ?? (after ? [after[2], after[1], after[3]] : []);
  const month = name ? monthOf(name.toLowerCase()) : 0;
  if (month < 1) return '';
  const days = daysOf(Number(year), month);
  const isThere = Number(day) >= 1 && Number(day) <= days;
  return isThere ? '' : `${nameOfMonth(`${year}-${twoDigits(month)}`)} has ${days} days.`;
}

/**
 * A date of numbers with the year at the end: which of two other numbers is the day depends on the country.
 * @param {string} text
 */
function adviceOnNumbers(text) {
  const parts = text.match(/(?:^|\s)(?:(\d{1,2})([/.-]))?(\d{1,2})[/.-](\d{4})(?=\s|$)/);
  if (!parts) return '';
  const [one, other, year] = [parts[1], parts[3], parts[4]].map(Number);
  // Not the time of an exposure, such as 1/8000.
  if (year < firstYear || year > new Date().getFullYear() + 1) return '';
  if (parts[1] === undefined) return other >= 1 && other <= 12 ? `For a month, type ${year}-${twoDigits(other)}.` : '';
  const isDayFirst = one > 12 || parts[2] === '.';
  const [day, month] = isDayFirst ? [one, other] : [other, one];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return '';
  const isClear = isDayFirst || other > 12 || one === other;
  return isClear
    ? `For a day, type ${year}-${twoDigits(month)}-${twoDigits(day)}.`
    : `For a day, type the year, month, and day: ${year}-${twoDigits(one)}-${twoDigits(other)}.`;
}

/**
 * @param {number} year
 * @param {number} month  1 to 12.
 */
function daysOf(year, month) {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
