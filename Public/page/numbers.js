const grouped = new Intl.NumberFormat('en');

/** @param {number} number */
export function formatNumber(number) {
  return grouped.format(number);
}

/** @param {number} count  Bytes. */
export function formatBytes(count) {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** power;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 })} ${units[power]}`;
}

/**
 * The index of the picture whose number, counted from 1, is in the text; null if the text is no such number.
 * @param {string} text
 */
export function indexOfNumber(text) {
  const number = parseNumber(text);
  return number === null || number < 1 ? null : number - 1;
}

/**
 * Parses a number with any grouping of its digits; null if it is none.
 * @param {string} text
 */
export function parseNumber(text) {
  const digits = text.replace(/[\s,.'’_]/g, '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

/**
 * `06`.
 * @param {number} number
 */
export function twoDigits(number) {
  return String(number).padStart(2, '0');
}
