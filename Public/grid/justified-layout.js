import { Justified } from './justified.js';

/**
 * @typedef {import('../catalog/shape.js').Shape} Shape
 * @typedef {import('./block.js').Measures} Measures
 * @typedef {import('./kept-rows.js').Run} Run
 * @typedef {import('./justified.js').Stretch} Stretch
 */

/** Fewer images than this do not make rows of the intended height. */
const fewestPerBlock = 128;

/**
 * Rows as wide as the gallery in which every image keeps its aspect ratio. They are made block by block, and the height
 * of a block follows from the catalog's shape alone: every block has its position from the first moment on, and its
 * rows are made when they are needed.
 */
export class JustifiedLayout {
  #shape;
  #runs;

  /**
   * @param {Measures & {inRow: number, shape: Shape}} measures  `inRow`: images of the assumed aspect ratio in a row.
   * @param {{runs?: Run[]}} bent  Rows to keep as they are, at the positions that their images have now.
   */
  constructor({ shape, inRow, ...measures }, { runs = [] } = {}) {
    /** @type {Measures} */
    this.measures = measures;
    this.gap = measures.gap;
    this.columns = measures.most;
    this.inRow = inRow;
    /** An image of any shape is as high as its row. */
    this.side = /** @type {const} */ ('height');
    this.tileHeight = measures.rowHeight;
    this.pitch = measures.rowHeight + measures.gap;
    this.#shape = shape;
    this.#runs = runs;
  }

  /**
   * How much of its side an image needs, in CSS pixels: in a few steps, so that it does not change with each row.
   * @param {number} height  Of the highest row on screen.
   */
  neededBy(height) {
    const step = this.tileHeight / 8;
    return Math.ceil(Math.max(height, this.tileHeight) / step - 1e-6) * step;
  }

  /** What must be kept for all rows to stay as they are. */
  get bent() {
    return { runs: this.#runs };
  }

  /**
   * @param {string} _title
   * @param {number} count
   * @param {number} first
   */
  lay(_title, count, first) {
    /** @type {Stretch[]} */
    const stretches = [];
    let at = first;
    const end = first + count;
    for (const run of this.#runs) {
      if (run.first < at || run.first + run.count > end) continue;
      stretches.push(...this.#stretches(at, run.first, false), { first: run.first, count: run.count, rows: run.rows });
      at = run.first + run.count;
    }
    stretches.push(...this.#stretches(at, end, true));
    return new Justified(stretches, first, this.measures, (from, many) => this.#shape.ratios(from, many));
  }

  /**
   * Splits a run of images into blocks. A remainder that is too small for a block joins the next or the previous one.
   * @param {number} from
   * @param {number} to
   * @param {boolean} isOpenEnded  Whether it is the last run.
   */
  #stretches(from, to, isOpenEnded) {
    /** @type {{first: number, count: number, sum: number, isOpenEnded: boolean}[]} */
    const blocks = [];
    for (const { first, count, sum } of to > from ? this.#shape.pieces(from, to - from) : []) {
      const before = blocks[blocks.length - 1];
      const isLittle = before && (before.count < fewestPerBlock ||
        (!isOpenEnded && first + count === to && count < fewestPerBlock));
      if (isLittle) Object.assign(before, { count: before.count + count, sum: before.sum + sum });
      else blocks.push({ first, count, sum, isOpenEnded: false });
    }
    const last = blocks[blocks.length - 1];
    // With so few images no row is enlarged to fill the width.
    if (last) last.isOpenEnded = isOpenEnded || last.count < fewestPerBlock;
    return blocks;
  }

  /**
   * Whether the other layout makes its rows with the same measures.
   * @param {object} other
   */
  isLike(other) {
    if (!(other instanceof JustifiedLayout)) return false;
    const [one, two] = [this.measures, other.measures];
    return one.width === two.width && one.rowHeight === two.rowHeight && one.most === two.most && one.gap === two.gap;
  }
}
