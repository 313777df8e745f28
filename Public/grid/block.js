import { breakRows } from './row-breaks.js';

/**
 * @typedef {{width: number, rowHeight: number, gap: number, most: number}} Measures  `width` and `gap` in pixels,
 *   `rowHeight` as it is wished for, `most` pictures in a row.
 * @typedef {{count: number, sum: number, isOpenEnded: boolean}} Block  A run of pictures that is laid out by itself;
 *   `sum` is what they are wide together where each is one high. Where it is open-ended its last row may be short.
 * @typedef {{top: number, height: number, room: number, first: number, last: number, lefts?: number[],
 *   widths?: number[]}} BlockRow  In pixels from the block's top and left edge; `room` reaches down to the next row. While
 *   the pictures' ratios are not known there are no places in it.
 * @typedef {{height: number, rows: number, rowHeight: number, isShort: boolean}} Plan  `height` with the gap after the
 *   last row; `rows` there will be about; `isShort`: the last of them does not fill the width.
 */

/** So much higher or lower than wished rows become, for the same number of pictures to stand in all of them. */
const stretch = 0.15;
/** A row of so much more than the width is made to fit into it. */
const tight = 1.25;
/** From so many rows on, a last row that would be short is spread over the others, and one that is nearly full fills up. */
const many = 6;
/** Of the wished height: as low, and as high, as a short row may be. */
const [lowest, highest] = [0.7, 1.25];
/** So much of a row is no row more. */
const slight = 0.1;
/** So much, as a share, pictures may be cut for a row to fill the width. */
const cut = 0.014;
/** Rows of other heights that are tried, as shares of the planned one, where a block has few pictures. */
const tried = [1, 0.96, 1.04, 0.92, 1.08, 0.88, 1.12, 0.84, 1.17, 0.8, 1.22, 0.76, 1.28, 0.7, 1.36, 0.64, 1.45, 1.6];
const few = 160;
/** How often rows are chosen again where it has many. */
const turns = 6;

/**
 * How high a block is. A function of how many pictures it has and of how wide they are together, and of nothing else: so
 * the height of a gallery is known before its pictures are, and what is learnt of them moves nothing outside the block.
 *
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
 * The height near the wished one at which rows of pictures of the mean ratio have all the same count: most galleries are
 * of pictures of one shape, and those stand in columns then.
 *
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
 * More rows than this a block never has: so rows can be numbered before they are known.
 * @param {Plan} plan
 * @param {number} count  Of pictures.
 */
export function roomForRows({ rows }, count) {
  return Math.min(count, Math.ceil(rows * 1.25) + 2);
}

/**
 * The rows of a block of which nothing is known but how high it is.
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
 * The rows of a block, together as high as planned: rows are chosen to come as near to that as they can, and what is left
 * is put into their heights, some per thousand of each. Where that would be more, as it may in a block of a few pictures,
 * pictures or rows lie further apart: no picture is cut for it.
 *
 * @param {Plan} plan
 * @param {ArrayLike<number>} ratios  Width by height, of each picture.
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
    // Whole pixels, so that pictures stay sharp.
    const top = Math.round(bottom);
    bottom += room + gap;
    const isCut = !isShort && Math.abs(scale - 1) <= cut;
    // What is too low for its room still fills the width.
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
 *   which they fill the width, the height of a short last one, and by what the others must be multiplied.
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
    // Rows that are higher are more rows, too.
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
 * What is left over, or missing, is the short row's, as far as it can bear it; then the others bear it.
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
 * Where pictures stand side by side that are so high.
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

/** Times the gap that pictures may lie apart for their row to reach the edge. */
const loose = 4;

/**
 * Moves the pictures of a row that ends before the edge further apart, so that the last one ends there.
 * @param {{lefts: number[], widths: number[]}} places
 * @param {Measures} measures
 */
function spread({ lefts, widths }, { width, gap }) {
  const last = lefts.length - 1;
  const rest = width - lefts[last] - widths[last];
  if (last < 1 || rest > last * gap * (loose - 1)) return;
  for (let at = 1; at <= last; at += 1) lefts[at] += Math.round((rest * at) / last);
}
