import { breakRows } from './row-breaks.js';

/**
 * @typedef {{width: number, rowHeight: number, gap: number, most: number}} Measures  `width` and `gap` in pixels,
 *   `rowHeight` the intended height, `most` images in a row.
 * @typedef {{count: number, sum: number, isOpenEnded: boolean}} Block  A run of images that is laid out by itself;
 *   `sum` is the sum of their aspect ratios. The last row of an open-ended block may be short.
 * @typedef {{top: number, height: number, room: number, first: number, last: number, lefts?: number[], widths?:
 *   number[]}} BlockRow  In pixels from the block's top and left edge; `room` reaches down to the next row. While the
 *   aspect ratios are unknown, `lefts` and `widths` are absent.
 * @typedef {{height: number, rows: number, rowHeight: number, isShort: boolean}} Plan  `height` includes the gap after
 *   the last row; `rows` is an estimate; `isShort`: the last row does not fill the width.
 */

/** How far the row height may deviate from the intended one so that all rows have the same number of images. */
const stretch = 0.15;
/** Rows that are wider than the page by up to this factor are squeezed into it. */
const tight = 1.25;
/** From this number of rows on, a short last row is spread over the others, and one that is nearly full is filled. */
const many = 6;
/** The bounds for the height of a short row, as shares of the intended height. */
const [lowest, highest] = [0.7, 1.25];
/** A fraction of a row up to this size does not count as a row. */
const slight = 0.1;
/** The share of an image that may be cut so that its row fills the width. */
const cut = 0.014;
/** Other row heights to try in a block with few images, as shares of the planned height. */
const tried = [1, 0.96, 1.04, 0.92, 1.08, 0.88, 1.12, 0.84, 1.17, 0.8, 1.22, 0.76, 1.28, 0.7, 1.36, 0.64, 1.45, 1.6];
const few = 160;
/** The number of iterations for a block with many images. */
const turns = 6;

/**
 * The height of a block: a function of its number of images and the sum of their aspect ratios alone. So the height of
 * a gallery is known before its images are, and what is learned about them moves nothing outside the block.
 * @param {Block} block
 * @param {Measures} measures
 * @returns {Plan}
 */
export function planBlock({ count, sum, isOpenEnded }, { width, rowHeight, gap, most }) {
  const fewest = Math.ceil(count / most);
  const rowsAt = (/** @type {number} */ height) => (sum * height + count * gap) / (width + gap);
  const full = rowsAt(rowHeight);
  const wished = evenHeight(count, sum, full, { width, rowHeight, gap, most });
  const wanted = rowsAt(wished);
  if (isOpenEnded && fewest <= Math.max(1, Math.floor(wanted))) {
    if (full <= 1) return { height: Math.round(rowHeight) + gap, rows: 1, rowHeight, isShort: true };
    const rest = wanted - Math.floor(wanted);
    const isShort = wanted < many ? wanted > tight : rest > 0.25 && rest < 0.75;
    const rows = Math.min(count, Math.ceil(wanted - slight));
    if (isShort) return { height: rows * (Math.round(wished) + gap), rows, rowHeight: wished, isShort };
  }
  const rows = Math.min(count, Math.max(1, fewest, Math.round(wanted)));
  const height = Math.min((rows * (width + gap) - count * gap) / sum, tight * tight * rowHeight);
  return { height: Math.round(rows * (height + gap)), rows, rowHeight: height, isShort: false };
}

/**
 * A row height near the intended one at which rows of images with the mean aspect ratio all have the same count: most
 * galleries consist of images of one shape, which then form columns.
 * @param {number} count
 * @param {number} sum
 * @param {number} full  Rows of the wished height.
 * @param {Measures} measures
 */
function evenHeight(count, sum, full, { width, rowHeight, gap, most }) {
  const inRow = Math.min(most, Math.round(count / full));
  if (full <= 1 || inRow < 2) return rowHeight;
  const even = (((width + gap) / inRow - gap) * count) / sum;
  return Math.abs(even / rowHeight - 1) <= stretch ? even : rowHeight;
}

/**
 * The most rows that a block can have, so that rows can be numbered before they are known.
 * @param {Plan} plan
 * @param {number} count  The number of images.
 */
export function roomForRows({ rows }, count) {
  return Math.min(count, Math.ceil(rows * 1.25) + 2);
}

/**
 * A row of a block of which only the height is known.
 * @param {Plan} plan
 * @param {number} count
 * @param {number} gap
 * @param {number} row
 * @returns {BlockRow}
 */
export function blankRow({ height, rows }, count, gap, row) {
  const first = Math.floor((row * count) / rows);
  const last = Math.floor(((row + 1) * count) / rows) - 1;
  const top = Math.round((row * height) / rows);
  const room = Math.round(((row + 1) * height) / rows) - top;
  return { top, height: room - gap, room, first, last };
}

/**
 * The rows of a block, together as high as planned: row breaks are chosen to come as near to that as possible, and the
 * rest is distributed over the row heights, a few per thousand each. If that would be too much, as in a block of few
 * images, images or rows are spaced further apart: no image is cut for it.
 *
 * @param {Plan} plan
 * @param {ArrayLike<number>} ratios  The aspect ratio of each image.
 * @param {Measures} measures
 * @returns {BlockRow[]}
 */
export function layBlock(plan, ratios, measures) {
  const sums = new Float64Array(ratios.length + 1);
  for (let at = 0; at < ratios.length; at += 1) sums[at + 1] = sums[at] + ratios[at];
  const { ends, natural, short, scale } = chooseRows(plan, sums, measures);
  const { gap } = measures;
  const rows = [];
  let [first, bottom] = [0, 0];
  for (const [row, end] of ends.entries()) {
    const isShort = plan.isShort && row === ends.length - 1;
    const room = isShort ? short : natural[row] * scale;
    // Whole pixels keep images sharp.
    const top = Math.round(bottom);
    bottom += room + gap;
    const isCut = !isShort && Math.abs(scale - 1) <= cut;
    // A row that is lower than its room still fills the width.
    const isFull = isCut || (!isShort && scale > 1);
    const own = isFull ? Math.round(natural[row]) : Math.floor(Math.min(room, natural[row]));
    const height = Math.max(1, isCut ? Math.round(bottom) - gap - top : own);
    const places = across(sums, first, end, isFull ? natural[row] : height, gap);
    if (!isShort && scale < 1) spread(places, measures);
    rows.push({ top, height, room: Math.round(bottom) - top, first, last: end - 1, ...places });
    first = end;
  }
  rows[rows.length - 1].room = plan.height - rows[rows.length - 1].top;
  return rows;
}

/**
 * @typedef {{ends: number[], natural: number[], short: number, scale: number}} Choice  Where rows end, the heights at
 *   which they fill the width, the height of a short last row, and the factor for the others.
 */

/**
 * @param {Plan} plan
 * @param {Float64Array} sums
 * @param {Measures} measures
 * @returns {Choice}
 */
function chooseRows(plan, sums, measures) {
  const count = sums.length - 1;
  const room = roomForRows(plan, count);
  let best = fit(evenEnds(plan.rows, count), plan, sums, measures);
  const isBetter = (/** @type {Choice} */ choice) => {
    if (choice.ends.length <= room && miss(choice) < miss(best)) best = choice;
    return miss(best) <= cut / 2;
  };
  const choose = (/** @type {number} */ wished) =>
    fit(breakRows(sums, measures, wished, plan.isShort), plan, sums, measures);
  if (count <= few) {
    tried.some((share) => isBetter(choose(plan.rowHeight * share)));
    return best;
  }
  let [low, wished, high] = [0, plan.rowHeight, Infinity];
  for (let turn = 0; turn < turns; turn += 1) {
    const choice = choose(wished);
    if (isBetter(choice)) break;
    // Higher rows also mean more rows.
    if (choice.scale < 1) high = wished;
    else low = wished;
    const next = wished * Math.sqrt(choice.scale);
    wished = next > low && next < high ? next : (low + Math.min(high, 2 * low)) / 2;
  }
  return best;
}

/** @param {Choice} choice */
function miss({ scale }) {
  return Math.abs(Math.log(scale));
}

/**
 * The short row absorbs the difference as far as it can; the other rows absorb the rest.
 * @param {number[]} ends
 * @param {Plan} plan
 * @param {Float64Array} sums
 * @param {Measures} measures
 * @returns {Choice}
 */
function fit(ends, plan, sums, { width, gap }) {
  const natural = ends.map((end, row) => {
    const begin = row === 0 ? 0 : ends[row - 1];
    return (width - gap * (end - begin - 1)) / (sums[end] - sums[begin]);
  });
  const total = plan.height - ends.length * gap;
  const all = natural.reduce((sum, each) => sum + each, 0);
  if (!plan.isShort) return { ends, natural, short: 0, scale: total / all };
  const last = natural[natural.length - 1];
  const full = all - last;
  const most = Math.min(last, highest * plan.rowHeight);
  const short = Math.min(most, Math.max(lowest * plan.rowHeight, total - full));
  return { ends, natural, short, scale: full > 0 ? Math.max(0.2, (total - short) / full) : 1 };
}

/**
 * @param {number} rows
 * @param {number} count
 */
function evenEnds(rows, count) {
  return Array.from({ length: rows }, (_, row) => Math.floor(((row + 1) * count) / rows));
}

/**
 * The horizontal positions of images side by side in a row of this height.
 * @param {Float64Array} sums
 * @param {number} first
 * @param {number} end
 * @param {number} height
 * @param {number} gap
 */
function across(sums, first, end, height, gap) {
  const lefts = [];
  const widths = [];
  let edge = 0;
  for (let at = first; at < end; at += 1) {
    const next = Math.round((sums[at + 1] - sums[first]) * height);
    lefts.push(edge + (at - first) * gap);
    widths.push(next - edge);
    edge = next;
  }
  return { lefts, widths };
}

/** How far apart images may be for their row to reach the edge, as a multiple of the gap. */
const loose = 4;

/**
 * Spaces the images of a row that is too narrow, so that the last one ends at the edge.
 * @param {{lefts: number[], widths: number[]}} places
 * @param {Measures} measures
 */
function spread({ lefts, widths }, { width, gap }) {
  const last = lefts.length - 1;
  const rest = width - lefts[last] - widths[last];
  if (last < 1 || rest > last * gap * (loose - 1)) return;
  for (let at = 1; at <= last; at += 1) lefts[at] += Math.round((rest * at) / last);
}
