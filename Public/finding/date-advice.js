import { monthOf } from '../page/destination.js';

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
  const days = new Date(Date.UTC(Number(year), month, 0)).getUTCDate();
  const isThere = Number(day) >= 1 && Number(day) <= days;
  return isThere ? '' : `${name} ${year} has ${days} days.`;
}

/**
 * A date of numbers with the year at the end: which of two other numbers is the day depends on the country.
 * @param {string} text
 */
function adviceOnNumbers(text) {
  const [, one, other, year] = text.match(/(?:^|\s)(?:(\d{1,2})[/.])?(\d{1,2})[/.](\d{4})(?=\s|$)/) ?? [];
  if (year === undefined) return '';
  if (one === undefined) {
    const isMonth = Number(other) >= 1 && Number(other) <= 12;
    return isMonth ? `For a month, type ${year}-${other.padStart(2, '0')}.` : '';
  }
  return `For a day, type the year first, such as ${year}-06-14.`;
}
