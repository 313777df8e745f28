import { dateLocale } from '../page/locale.js';

/** @typedef {{name: string, title?: string, takenAt?: string, takenPrecision?: string}} Named */

/**
 * What people call an image: its title, or the name of its file.
 * @param {Named} image
 */
export function nameOf({ title, name }) {
  return title || name;
}

/**
 * What tells most about an image: its title, or when it was taken, or the name of its file.
 * @param {Named} image
 */
export function headingOf(image) {
  return image.title || dateIn(image) || image.name;
}

/** @type {Record<string, Intl.DateTimeFormat>} */
const dateStyles = Object.fromEntries(
  Object.entries(/** @type {Record<string, Intl.DateTimeFormatOptions>} */ ({
    year: { year: 'numeric' }, month: { year: 'numeric', month: 'long' }, day: { dateStyle: 'long' },
    time: { dateStyle: 'long', timeStyle: 'short' },
  })).map(([precision, style]) => [precision, new Intl.DateTimeFormat(dateLocale, { ...style, timeZone: 'UTC' })]),
);

/**
 * The time on the camera's clock, not in the reader's time zone, and no more of it than is known; empty if nothing is.
 * @param {{takenAt?: string, takenPrecision?: string}} image
 */
export function dateIn({ takenAt = '', takenPrecision = 'time' }) {
  const clock = new Date(takenAt.replace(/(Z|[+-]\d\d:\d\d)$/, 'Z'));
  if (Number.isNaN(clock.getTime())) return takenAt;
  return dateStyles[takenPrecision].format(clock);
}

/**
 * The same without the time of day.
 * @param {{takenAt?: string, takenPrecision?: string}} image
 */
export function dayIn({ takenAt, takenPrecision = 'day' }) {
  return dateIn({ takenAt, takenPrecision: takenPrecision === 'time' ? 'day' : takenPrecision });
}
