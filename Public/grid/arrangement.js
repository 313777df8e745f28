import { assumedAspect } from '../catalog/aspect.js';
import { mostCells } from './geometry.js';
import { JustifiedLayout } from './justified-layout.js';
import { TileLayout } from './tile-layout.js';

/**
 * @typedef {import('../catalog/shape.js').Shape} Shape
 * @typedef {{width: number, height: number, gap: number}} Screen  The visible part of the grid, in pixels.
 * @typedef {import('./tile-layout.js').Bent & {runs?: import('./kept-rows.js').Run[]}} Bent
 */

const fewestInRow = 3;
/** The lowest rows, in pixels and as a share of the width: in lower ones images are unrecognisable. */
const lowestRows = { most: 96, least: 50, share: 0.075 };
/** The highest rows, as a share of the height: higher ones leave no room for a second row. */
const highestRowShare = 0.45;
/** The number of densities, from the smallest images to the largest. */
export const densityCount = 5;

/** How the user wants images arranged: in justified rows or in squares, and how densely. A value. */
export class Arrangement {
  /** @param {{kind?: 'justified' | 'squares', density?: number}} wished  `density` from 0, the smallest pictures. */
  constructor({ kind = 'justified', density = 2 } = {}) {
    this.kind = kind;
    this.density = Math.max(0, Math.min(densityCount - 1, Math.round(density)));
    Object.freeze(this);
  }

  /** @param {{kind?: 'justified' | 'squares', density?: number}} changes */
  with(changes) {
    return new Arrangement({ ...this, ...changes });
  }

  /** @param {Arrangement} other */
  equals(other) {
    return this.kind === other.kind && this.density === other.density;
  }

  /**
   * @param {Screen} screen
   * @param {Shape} shape  Of the displayed order.
   * @param {Bent} [bent]  What to keep as it was.
   * @returns {import('./geometry.js').Layout}
   */
  layout(screen, shape, bent) {
    const { width, gap } = screen;
    const inRow = imagesInRow(this.density, screen);
    // A square covers about the same area as an image of the assumed aspect ratio in a row.
    const columns = Math.round(inRow * Math.sqrt(assumedAspect));
    if (this.kind === 'squares') return new TileLayout({ width, gap, columns }, bent);
    if (shape.isEven) return new TileLayout({ width, gap, columns: inRow, aspect: assumedAspect }, bent);
    const rowHeight = heightOf(inRow, screen);
    const most = mostInRow(rowHeight, screen);
    return new JustifiedLayout({ width, gap, rowHeight, most, inRow, shape }, bent);
  }
}

/**
 * How many images of the assumed aspect ratio make a row: a whole number, so that most galleries have columns.
 * @param {number} density
 * @param {Screen} screen
 */
function imagesInRow(density, screen) {
  const { width, height, gap } = screen;
  const { most, least, share } = lowestRows;
  const lowest = Math.max(least, Math.min(most, width * share));
  const steps = densityCount - 1;
  let smallest = steps + 1;
  while (fits(smallest + 1, screen, lowest)) smallest += 1;
  while (smallest > 1 && !fits(smallest, screen, 0)) smallest -= 1;
  const room = Math.round((width + gap) / ((highestRowShare * height) / 0.75 + gap));
  const largest = Math.max(1, Math.min(Math.max(fewestInRow, room), smallest - steps));
  const even = Math.round(smallest * (largest / smallest) ** (density / steps));
  return Math.max(1, Math.min(smallest, Math.max(even, largest + steps - density)));
}

/**
 * Whether rows of so many images are high enough, and few enough for the document.
 * @param {number} inRow
 * @param {Screen} screen
 * @param {number} lowest
 */
function fits(inRow, screen, lowest) {
  const height = heightOf(inRow, screen);
  const onScreen = (screen.height / (height + screen.gap) + 2) * (screen.width / height);
  return height >= lowest && onScreen <= mostCells - 10;
}

/**
 * @param {number} inRow
 * @param {Screen} screen
 */
function heightOf(inRow, { width, gap }) {
  return Math.max(1, ((width + gap) / inRow - gap) / assumedAspect);
}

/**
 * Limits the images in a row: however narrow they are, the document must not hold too many.
 * @param {number} rowHeight
 * @param {Screen} screen
 */
function mostInRow(rowHeight, { width, height, gap }) {
  const rows = Math.ceil(height / (rowHeight + gap)) + 1;
  return Math.max(2, Math.min(Math.ceil((2 * width) / rowHeight), Math.floor(mostCells / rows)));
}
