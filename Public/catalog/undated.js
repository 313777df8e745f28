/**
 * The first image without a date: these come last, in both directions.
 * @param {import('./server.js').Month[]} months
 * @returns {number}  Infinity where there are none.
 */
export function undatedFrom(months) {
  const last = months.at(-1);
  return last?.month === null ? last.first : Infinity;
}
