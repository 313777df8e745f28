import { clamp } from './geometry.js';

/**
 * The height of the tallest element made, far below every browser's limit, and below 2²² so that positions stay
 * exact.
 */
const greatestHeight = 4_000_000;
const exactEnd = 200_000;

/**
 * Maps a gallery of any height to what a browser can scroll (16.7 million px in Chromium on a dense screen, fewer
 * elsewhere). Near both ends a scrolled pixel is a pixel of the gallery, so that the ends are reached exactly and
 * smoothly; in between, the scrollbar is stretched over the rest. A gallery that fits is not stretched.
 */
export class ScrollMap {
  /**
   * @param {number} height  Of the gallery.
   * @param {number} viewHeight  Of its visible part.
   * @param {number} [tallest]
   */
  constructor(height, viewHeight, tallest = greatestHeight) {
    /** The height of the scrolled element. */
    this.span = Math.min(height, tallest);
    this.isExact = height <= tallest;
    /** The largest offset in the gallery, and the largest position of the scrollbar. */
    this.furthestOffset = Math.max(0, height - viewHeight);
    this.furthestPosition = Math.max(0, this.span - viewHeight);
    this.end = Math.min(exactEnd, this.furthestPosition / 4);
    this.stretch = this.isExact ? 1 : (this.furthestOffset - 2 * this.end) / (this.furthestPosition - 2 * this.end);
  }

  /**
   * The offset in the gallery that belongs to a position of the scrollbar.
   * @param {number} position
   */
  offsetOf(position) {
    const from = clamp(position, 0, this.furthestPosition);
    const toEnd = this.furthestPosition - from;
    if (from <= this.end || this.isExact) return from;
    if (toEnd <= this.end) return this.furthestOffset - toEnd;
    return this.end + (from - this.end) * this.stretch;
  }

  /**
   * The position of the scrollbar that belongs to an offset in the gallery.
   * @param {number} offset
   */
  positionOf(offset) {
    const to = clamp(offset, 0, this.furthestOffset);
    const toEnd = this.furthestOffset - to;
    if (to <= this.end || this.isExact) return to;
    if (toEnd <= this.end) return this.furthestPosition - toEnd;
    return this.end + (to - this.end) / this.stretch;
  }
}
