import { Justified } from './justified.js';

/**
 * @typedef {import('../catalog/shape.js').Shape} Shape
 * @typedef {import('./block.js').Measures} Measures
 * @typedef {import('./kept-rows.js').Run} Run
 * @typedef {import('./justified.js').Stretch} Stretch
 */

/**
 * Rows as wide as the gallery, in which every picture has its own proportions. They are made block by block, and how high
 * a block is follows from what the catalog says of it as a whole: so it is known from the first moment where every block
 * lies, and the rows of one are made when it is come to.
 */
export class JustifiedLayout {
  /** Fewer pictures than this make no rows that are all as high as they should be. */
  static #fewest = 128;

  #shape;
  #runs;

  /**
   * @param {Measures & {inRow: number, shape: Shape}} measures  `inRow`: pictures of the usual proportions in a row.
   * @param {{runs?: Run[]}} [bent]  Rows that stay as they are, wherever their pictures stand now.
   */
  constructor({ shape, inRow, ...measures }, { runs = [] } = {}) {
    /** @type {Measures} */
    this.measures = measures;
    this.gap = measures.gap;
    this.columns = measures.most;
    this.inRow = inRow;
    /** A picture of any shape is as high as its row. */
    this.side = /** @type {const} */ ('height');
    this.tileHeight = measures.rowHeight;
    this.pitch = measures.rowHeight + measures.gap;
    this.#shape = shape;
    this.#runs = runs;
  }

  /**
   * How much of its side a picture needs, in CSS pixels: in rather few steps, so that it does not change with each row.
   * @param {number} height  Of the highest row on screen.
   */
  neededBy(height) {
    const step = this.tileHeight / 8;
    return Math.ceil(Math.max(height, this.tileHeight) / step - 1e-6) * step;
  }

  /** What of it must be kept for all rows to stay as they are. */
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
   * The blocks of a run of pictures. What is too little for a block is part of the next, or of the one before.
   * @param {number} from
   * @param {number} to
   * @param {boolean} isOpenEnded  Whether nothing comes after it.
   */
  #stretches(from, to, isOpenEnded) {
    /** @type {{first: number, count: number, sum: number, isOpenEnded: boolean}[]} */
    const blocks = [];
    for (const { first, count, sum } of to > from ? this.#shape.pieces(from, to - from) : []) {
      const before = blocks[blocks.length - 1];
      const isLittle = before && (before.count < JustifiedLayout.#fewest ||
        (!isOpenEnded && first + count === to && count < JustifiedLayout.#fewest));
      if (isLittle) Object.assign(before, { count: before.count + count, sum: before.sum + sum });
      else blocks.push({ first, count, sum, isOpenEnded: false });
    }
    const last = blocks[blocks.length - 1];
    // Where there is so little, no row is blown up to fill the width.
    if (last) last.isOpenEnded = isOpenEnded || last.count < JustifiedLayout.#fewest;
    return blocks;
  }

  /**
   * Whether rows are made to the same measures in the other one.
   * @param {object} other
   */
  isLike(other) {
    if (!(other instanceof JustifiedLayout)) return false;
    const [one, two] = [this.measures, other.measures];
    return one.width === two.width && one.rowHeight === two.rowHeight && one.most === two.most && one.gap === two.gap;
  }
}
