import { nameOfMonth } from '../grid/months.js';
import { formatNumber, indexOfNumber, parseNumber, twoDigits } from './numbers.js';

/** January to December, in lower case. */
const names = Array.from({ length: 12 }, (_, at) => nameOfMonth(`2000-${twoDigits(at + 1)}`).split(' ')[0].toLowerCase());

/**
 * The slot that the user typed: an image's number or, in an order with months, a month or a year. For a month without
 * images, it is the first image of the next month in the order, or else of the last one.
 * @param {string} text  `1200`, `1,200`, `2019-06`, `6/2019`, `June 2019`, `jun 2019`, `2019`.
 * @param {{months: import('../catalog/server.js').Month[], direction: string}} order
 * @returns {number | null}  From 0; null if the text is not understood.
 */
export function destinationOf(text, { months, direction }) {
  const dated = months.filter(({ month }) => month !== null);
  const wanted = parseMonth(text);
  const number = parseNumber(text);
  // A number is read as a year only if the gallery has images of that year.
  const isYearThere = dated.some(({ month }) => month?.slice(0, 4) === wanted?.slice(0, 4));
  if (wanted !== null && dated.length > 0 && (number === null || isYearThere)) {
    const isReached = (/** @type {string} */ month) => (direction === 'desc' ? month <= wanted : month >= wanted);
    const reached = dated.find(({ month }) => isReached(String(month).slice(0, wanted.length)));
    return (reached ?? dated[dated.length - 1]).first;
  }
  return indexOfNumber(text);
}

/**
 * The day that the user typed, in formats that are unambiguous everywhere.
 * @param {string} text  `2019-06-30`, `2019/6/30`, `30.6.2019`, `30 June 2019`, `Jun 30, 2019`.
 * @returns {string | null}  `2019-06-30`; null if it is no day.
 */
export function dayIn(text) {
  const parts = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  const year = parts.findIndex((part) => /^\d{4}$/.test(part));
  const rest = parts.filter((_, at) => at !== year);
  if (year < 0 || rest.length !== 2) return null;
  const named = rest.find((part) => Number.isNaN(Number(part)));
  // Which of two numbers is the day depends on the country, except in these formats.
  if (named === undefined && year !== 0 && !text.includes('.')) return null;
  const isDayFirst = named === undefined ? year !== 0 : named === rest[1];
  const [day, month] = isDayFirst ? rest : rest.toReversed();
  const date = `${parts[year]}-${twoDigits(monthOf(month))}-${twoDigits(Number(day))}`;
  const milliseconds = Date.parse(`${date}T00:00:00Z`);
  // JavaScript reads February 30 as March 2.
  return Number.isNaN(milliseconds) || new Date(milliseconds).toISOString().slice(0, 10) !== date ? null : date;
}

/**
 * What the user may have meant by a text that is no date: the year with digits instead of letters that look like them, or
 * else examples.
 * @param {string} text  `2o19`, `l998`.
 */
export function exampleLike(text) {
  const meant = text.trim().replace(/o/gi, '0').replace(/[il|]/gi, '1');
  return /^(1[89]|20)\d{2}$/.test(meant) ? meant : '2019, June 2019, or June 3, 2019';
}

/**
 * @param {string} text
 * @returns {string | null}  `2019-06` or `2019`.
 */
function parseMonth(text) {
  const parts = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  const year = parts.find((part) => /^\d{4}$/.test(part));
  const [rest, ...others] = parts.filter((part) => part !== year);
  if (year === undefined || others.length > 0) return null;
  if (rest === undefined) return year;
  const month = monthOf(rest);
  return month >= 1 && month <= 12 ? `${year}-${twoDigits(month)}` : null;
}

/**
 * @param {string} text  A number, or at least three letters of the name.
 * @returns {number}  1 to 12, or another number if it is no month.
 */
export function monthOf(text) {
  const isName = text.length >= 3 && Number.isNaN(Number(text));
  return isName ? 1 + names.findIndex((name) => name.startsWith(text)) : Number(text);
}

/**
 * What to type instead of a text that is not understood.
 * @param {string} text
 * @param {{hasMonths: boolean, total: number}} order
 */
export function adviceOn(text, { hasMonths, total }) {
  if (hasMonths && /\p{L}|\d\D\d/u.test(text)) return `“${text.trim()}” isn’t a date. Try ${exampleLike(text)}.`;
  return `Type a number from 1 to ${formatNumber(total)}${hasMonths ? `, or a date: ${exampleLike('')}` : ''}.`;
}
