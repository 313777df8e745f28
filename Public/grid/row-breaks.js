/**
 * Chooses row breaks so that every row fills the width at about the intended height: for the block as a whole, not one
 * row after the other, so that no row suffers for the one before.
 *
 * @param {ArrayLike<number>} sums  Prefix sums of aspect ratios: of no image, of the first, of the first two and so on.
 * @param {{width: number, gap: number, most: number}} measures  `most` images in a row.
 * @param {number} wished  The intended height of a row.
 * @param {boolean} isOpenEnded  The last row need not fill the width.
 * @returns {number[]}  The count of images in all rows up to this one, for each row.
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
      // Twice the height costs as much as half the height.
      const cost = costs[begin] + (isFree ? 0 : height / wished + wished / height - 2);
      if (cost < costs[end]) {
        costs[end] = cost;
        begins[end] = begin;
      }
      // With more images the row only becomes lower.
      if (height < wished * lowest) break;
    }
  }
  const ends = [];
  for (let end = count; end > 0; end = begins[end]) ends.push(end);
  return ends.reverse();
}

/** As a share of the intended height; a row this low is not tried with more images. */
const lowest = 0.55;
