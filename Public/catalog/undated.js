/**
 * Where the images begin that have no date: the last, whichever way months are sorted.
 * @param {import('./server.js').Month[]} months
 * @returns {number}  Infinity where there are none.
 */
export function undatedFrom(months) {
  const last = months.at(-1);
  return last?.month === null ? last.first : Infinity;
}
