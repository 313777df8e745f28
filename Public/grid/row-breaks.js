/**
 * Where rows end, so that every row is about as high as wished while it fills the width: the rows of a block as a whole
 * are chosen, not one after the other, so that no row pays for what the one before took.
 *
 * @param {ArrayLike<number>} sums  What the pictures are wide together where each is one high: of the first none, of the
 *   first, of the first two and so on.
 * @param {{width: number, gap: number, most: number}} measures  `most` pictures in a row.
 * @param {number} wished  The height of a row.
 * @param {boolean} isOpenEnded  The last row need not fill the width.
 * @returns {number[]}  The count of pictures in all rows up to this one, for each row.
 */
export function breakRows(sums, { width, gap, most }, wished, isOpenEnded) {
  const count = sums.length - 1;
  const costs = new Float64Array(count + 1).fill(Infinity);
  const begins = new Int32Array(count + 1);
  costs[0] = 0;
  for (let end = 1; end <= count; end += 1) {
    for (let begin = end - 1; begin >= Math.max(0, end - most); begin -= 1) {
      const height = (width - gap * (end - begin - 1)) / (sums[end] - sums[begin]);
      const isFree = isOpenEnded && end === count && height >= wished;
      // Twice as high costs what half as high does.
      const cost = costs[begin] + (isFree ? 0 : height / wished + wished / height - 2);
      if (cost < costs[end]) {
        costs[end] = cost;
        begins[end] = begin;
      }
      // With more pictures the row only gets lower.
      if (height < wished * lowest) break;
    }
  }
  const ends = [];
  for (let end = count; end > 0; end = begins[end]) ends.push(end);
  return ends.reverse();
}

/** Of the wished height; where even fewer pictures make a lower row, more of them are not tried. */
const lowest = 0.55;
