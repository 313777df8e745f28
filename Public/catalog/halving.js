/**
 * Binary search: the index of the last element for which the predicate holds, given that it holds for all before; 0 if
 * it holds for none.
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
