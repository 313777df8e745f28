import { lastOf } from '../catalog/halving.js';
import { blankRow, layBlock, planBlock, roomForRows } from './block.js';

/**
 * @typedef {import('./block.js').BlockRow} BlockRow
 * @typedef {import('./block.js').Measures} Measures
 * @typedef {import('./block.js').Plan} Plan
 * @typedef {{first: number, count: number, sum: number, isOpenEnded: boolean} |  {first: number, count: number, rows:
 *   import('./kept-rows.js').KeptRow[]}} Stretch  A block, or rows that are kept as they are.
 * @typedef {{first: number, count: number, row: number, top: number, room: number, plan: Plan | null, laid: BlockRow[]
 *   | null}} Block  A positioned block: its first slot, the number of its first row and its top; `room` is the number
 *   of row numbers reserved. A block without a plan is kept as it is.
 */

/** The number of blocks whose rows are cached. */
const mostCachedBlocks = 48;

/**
 * The inside of a section: justified rows, block by block. Slots, rows and pixels are counted from the section's start.
 * Some row numbers are unused: each block reserves as many as it may need, and how many it has is known with the aspect
 * ratios of its images. Until then its rows are blank.
 */
export class Justified {
  /** @type {Block[]} */
  #blocks = [];
  #begin;
  #measures;
  #ratios;
  /** @type {Block[]} */
  #recent = [];

  /**
   * @param {Stretch[]} stretches  In sequence, without gaps.
   * @param {number} begin  The section's first slot.
   * @param {Measures} measures
   * @param {(first: number, count: number) => number[] | undefined} ratios  Of slots of the gallery; undefined while
   *   unknown.
   */
  constructor(stretches, begin, measures, ratios) {
    this.#begin = begin;
    this.#measures = measures;
    this.#ratios = ratios;
    let [row, top] = [0, 0];
    for (const stretch of stretches) {
      const { count } = stretch;
      const first = stretch.first - begin;
      if ('rows' in stretch) {
        const laid = keep(stretch.rows);
        this.#blocks.push({ first, count, row, top, room: laid.length, plan: null, laid });
        row += laid.length;
        top += stretch.rows.reduce((all, each) => all + each.room, 0);
      } else {
        const plan = planBlock(stretch, measures);
        const room = roomForRows(plan, count);
        this.#blocks.push({ first, count, row, top, room, plan, laid: null });
        row += room;
        top += plan.height;
      }
    }
    if (stretches.length === 0) this.#blocks.push({ first: 0, count: 0, row, top, room: 0, plan: null, laid: [] });
    /** How many row numbers are reserved. */
    this.rows = row;
    /** Includes the gap after the last row. */
    this.height = top;
  }

  /** @param {number} slot */
  rowOf(slot) {
    const block = this.#last('first', slot);
    const within = slot - block.first;
    const rows = this.#rowsOf(block);
    if (rows) return block.row + lastOf(rows, (each) => each.first <= within);
    return block.row + Math.ceil(((within + 1) * (block.plan?.rows ?? 1)) / block.count) - 1;
  }

  /** @param {number} y */
  rowAt(y) {
    const block = this.#last('top', Math.max(0, y));
    const within = y - block.top;
    const rows = this.#rowsOf(block);
    if (rows) return block.row + lastOf(rows, (each) => each.top <= within);
    const { height = 1, rows: count = 1 } = block.plan ?? {};
    const guess = Math.max(0, Math.min(count - 1, Math.floor((within * count) / height)));
    return block.row + (guess > 0 && this.#blank(block, guess).top > within ? guess - 1 : guess);
  }

  /**
   * The position and the slots of a row; undefined if the number is unused.
   * @param {number} number
   */
  row(number) {
    const block = this.#last('row', number);
    const at = number - block.row;
    const rows = this.#rowsOf(block);
    const isThere = at < (rows ? rows.length : (block.plan?.rows ?? 0));
    if (!isThere) return undefined;
    const { top, height, room, first, last, lefts, widths } = rows ? rows[at] : this.#blank(block, at);
    const begin = block.first + first;
    return { top: block.top + top, height, room, start: begin, first: begin, last: block.first + last, lefts, widths };
  }

  /**
   * @param {Block} block
   * @param {number} row
   */
  #blank({ plan, count }, row) {
    return blankRow(/** @type {Plan} */ (plan), count, this.#measures.gap, row);
  }

  /**
   * The rows of a block, made on first use; undefined while its aspect ratios are unknown.
   * @param {Block} block
   */
  #rowsOf(block) {
    if (block.laid || !block.plan) return block.laid;
    const ratios = this.#ratios(this.#begin + block.first, block.count);
    if (!ratios) return null;
    block.laid = layBlock(block.plan, ratios, this.#measures);
    this.#recent.push(block);
    const oldest = this.#recent.length > mostCachedBlocks ? this.#recent.shift() : undefined;
    if (oldest) oldest.laid = null;
    return block.laid;
  }

  /**
   * The last block that begins there or before.
   * @param {'first' | 'row' | 'top'} measure
   * @param {number} value
   */
  #last(measure, value) {
    return this.#blocks[lastOf(this.#blocks, (block) => block[measure] <= value)];
  }
}

/** @param {import('./kept-rows.js').KeptRow[]} rows */
function keep(rows) {
  let [first, top] = [0, 0];
  return rows.map(({ count, height, room, lefts, widths }) => {
    const row = { top, height, room, first, last: first + count - 1, lefts, widths };
    first += count;
    top += room;
    return row;
  });
}
