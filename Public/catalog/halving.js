/**
 * Where the last one stands of which it is true; it is true of all before it. 0 if of none.
 * @template T
 * @param {T[]} all
 * @param {(each: T) => boolean} isTrue
 */
export function lastOf(all, isTrue) {
  let [from, to] = [0, all.length];
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if (isTrue(all[middle])) from = middle;
    else to = middle;
  }
  return from;
}
