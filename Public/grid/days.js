import { dateLocale } from '../page/locale.js';

/** Days are written `2019-06-14`; an unknown day is an empty string. */

const weekdays = new Intl.DateTimeFormat(dateLocale, { weekday: 'short', timeZone: 'UTC' });
const dates = new Intl.DateTimeFormat(dateLocale, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const daysOfYear = new Intl.DateTimeFormat(dateLocale, { month: 'long', day: 'numeric', timeZone: 'UTC' });
const names = new Intl.DateTimeFormat(dateLocale, {
  weekday: 'short', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC',
});
/** What a mark takes up beside its text, and the widest letter on average. CSS pixels. */
const [margins, letterWidth] = [16, 7.4];
/** @type {Map<string, string>} */
const known = new Map();

/**
 * The day on which an image was taken; empty if only its month or year is known.
 * @param {{takenAt?: string, takenPrecision?: string} | undefined} image
 */
export function dayOf(image) {
  if (image?.takenPrecision === 'year' || image?.takenPrecision === 'month') return '';
  return image?.takenAt?.slice(0, 10) ?? '';
}

/**
 * The day that starts at an image; empty also while it is unknown whether the image is the first.
 * @param {number} index
 * @param {(index: number) => {takenAt?: string, takenPrecision?: string} | undefined} imageAt
 */
export function dayBegunAt(index, imageAt) {
  const day = dayOf(imageAt(index));
  if (day === '' || index === 0) return day;
  const before = imageAt(index - 1);
  return before && dayOf(before) !== day ? day : '';
}

/**
 * The mark of the day that starts at an image; empty if none does, or the grid is not sorted by day.
 * @param {number} index
 * @param {(index: number) => {takenAt?: string, takenPrecision?: string} | undefined} imageAt
 * @param {Pick<import('./geometry.js').Geometry, 'hasHeadings' | 'isAmongMonths'>} geometry
 */
export function markOfDayAt(index, imageAt, geometry) {
  const day = geometry.hasHeadings ? dayBegunAt(index, imageAt) : '';
  return day && markOfDay(day, geometry.isAmongMonths(index));
}

/**
 * The mark on the first image of a day: `Fri 14`, or among images of several months `Jun 14`.
 * @param {string} day
 * @param {boolean} isAmongMonths
 */
export function markOfDay(day, isAmongMonths = false) {
  const key = isAmongMonths ? day : ` ${day}`;
  let mark = known.get(key);
  if (mark === undefined) {
    const weekday = format(weekdays, day);
    mark = weekday && `${weekday} ${Number(day.slice(8))}`;
    if (isAmongMonths) mark = format(dates, day);
    known.set(key, mark);
  }
  return mark;
}

/**
 * The mark if a slot has room for it, else the number of the day alone.
 * @param {string} mark
 * @param {number} width  Of the slot, in CSS pixels.
 */
export function markFitting(mark, width) {
  return width >= margins + letterWidth * mark.length ? mark : mark.replace(/\D/g, '');
}

/**
 * The name of a day: `Fri, June 14, 2019`.
 * @param {string} day
 */
export function nameOfDay(day) {
  return format(names, day);
}

/**
 * The name of a day of any year: `June 14`.
 * @param {string} day  `06-14`.
 */
export function nameOfDayOfYear(day) {
  // A leap year.
  return format(daysOfYear, `2000-${day}`);
}

/**
 * @param {Intl.DateTimeFormat} style
 * @param {string} day
 */
function format(style, day) {
  const date = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(date.valueOf()) ? '' : style.format(date);
}
