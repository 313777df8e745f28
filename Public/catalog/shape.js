import { assumedAspect } from './aspect.js';
import { lastOf } from './halving.js';

/**
 * @typedef {{first: number, count: number, sum: number}} Piece  A run of an order; `sum` is the sum of its images'
 *   aspect ratios.
 */

/**
 * The aspect ratios that bytes stand for.
 * @type {number[]}
 */
const ratioOfByte = Array.from({ length: 256 }, (_, byte) => (byte === 0 ? assumedAspect : 2 ** ((byte - 128) / 32)));
/** How many aspect ratios are fetched at once. */
export const ratiosPerWindow = 4_096;
/** Larger orders are laid out as if all images were alike: even their sums would be too much to fetch. */
export const mostShapedImages = 10_000_000;

/**
 * The shape of an order: the sum of aspect ratios per block, which determines the height of the block in any layout of
 * rows, and the aspect ratios of single images, as far as they were fetched.
 */
export class Shape {
  /** @type {Piece[]} */
  #blocks = [];
  /** @type {Map<number, Uint8Array>} */
  #windows = new Map();

  /**
   * @param {{revision: number | undefined, total: number, block: number, parts: number[], sums: number[]} | null
   *   } response
   *   As the server sent it; null if it could not: then all images are assumed to be alike.
   * @param {number} total
   */
  constructor(response, total) {
    this.total = total;
    this.revision = response?.revision;
    this.isEven = response === null;
    /** Part of it belongs to another revision of the order. */
    this.isDoubtful = false;
    if (response) this.#cut(response, total);
  }

  /**
   * @param {{block: number, parts: number[], sums: number[]}} response
   * @param {number} total
   */
  #cut({ block, parts, sums }, total) {
    for (const [part, begin] of parts.entries()) {
      const end = Math.min(total, parts[part + 1] ?? total);
      for (let first = begin; first < end; first += block) {
        const count = Math.min(block, end - first);
        this.#blocks.push({ first, count, sum: sums[this.#blocks.length] || count * assumedAspect });
      }
    }
    // The order has grown since the server described it.
    const last = this.#blocks[this.#blocks.length - 1];
    const known = last ? last.first + last.count : 0;
    for (let first = known; first < total; first += block) {
      const count = Math.min(block, total - first);
      this.#blocks.push({ first, count, sum: count * assumedAspect });
    }
  }

  /**
   * The run split by blocks; the first and last piece may be cut.
   * @param {number} first
   * @param {number} count
   * @returns {Piece[]}
   */
  pieces(first, count) {
    const end = first + count;
    const pieces = [];
    for (let at = this.#blockOf(first); at < this.#blocks.length && this.#blocks[at].first < end; at += 1) {
      const block = this.#blocks[at];
      const from = Math.max(first, block.first);
      const to = Math.min(end, block.first + block.count);
      if (to > from) pieces.push(to - from === block.count ? block : this.#piece(block, from, to));
    }
    return pieces;
  }

  /**
   * @param {Piece} block
   * @param {number} from
   * @param {number} to
   */
  #piece(block, from, to) {
    const count = to - from;
    const ratios = this.ratios(from, count);
    const sum = ratios ? ratios.reduce((all, each) => all + each, 0) : (block.sum * count) / block.count;
    return { first: from, count, sum };
  }

  /** @param {number} slot */
  #blockOf(slot) {
    return lastOf(this.#blocks, (block) => block.first <= slot);
  }

  /**
   * The aspect ratio of each image of the run; undefined unless all are here.
   * @param {number} first
   * @param {number} count
   * @returns {number[] | undefined}
   */
  ratios(first, count) {
    if (this.missing(first, first + count - 1).length > 0) return undefined;
    return Array.from({ length: count }, (_, at) => {
      const slot = first + at;
      return ratioOfByte[this.#windows.get(Math.floor(slot / ratiosPerWindow))?.[slot % ratiosPerWindow] ?? 0];
    });
  }

  /**
   * The windows of this run that are missing; both ends inclusive.
   * @param {number} first
   * @param {number} last
   */
  missing(first, last) {
    /** @type {number[]} */
    const windows = [];
    if (this.isEven || this.total === 0) return windows;
    const from = Math.floor(Math.max(0, first) / ratiosPerWindow);
    const to = Math.floor(Math.max(0, Math.min(last, this.total - 1)) / ratiosPerWindow);
    for (let at = from; at <= to; at += 1) if (!this.#windows.has(at)) windows.push(at);
    return windows;
  }

  /**
   * @param {number} window
   * @param {Uint8Array} bytes
   */
  put(window, bytes) {
    this.#windows.set(window, bytes);
  }

  /**
   * Whether the other shape results in the same heights.
   * @param {Shape} other
   */
  equals(other) {
    const blocks = other.#blocks;
    return (
      this.isEven === other.isEven && this.total === other.total && this.#blocks.length === blocks.length &&
      this.#blocks.every(({ first, sum }, at) => first === blocks[at].first && sum === blocks[at].sum)
    );
  }
}
