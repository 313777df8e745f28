import { Geometry } from './geometry.js';
import { JustifiedLayout } from './justified-layout.js';
import { TileLayout } from './tile-layout.js';
import { Shape } from '../catalog/shape.js';

/**
 * @typedef {{width: number, height: number, gap: number}} Screen  What is seen of the grid at once, in pixels.
 * @typedef {import('./tile-layout.js').Bent & {runs?: import('./kept-rows.js').Run[]}} Bent
 */

/** How people like the pictures laid out: in justified rows or in squares, and how many at once. A value. */
export class Arrangement {
  /** From the smallest pictures to the largest. */
  static densities = 5;
  static #fewest = 3;
  /** Lower rows show nothing that could be known again. Pixels, and as a share of the width. */
  static #lowest = { most: 96, least: 50, share: 0.075 };
  /** Higher rows leave no room for a second one. As a share of the height. */
  static #highest = 0.45;

  /** @param {{kind?: 'justified' | 'squares', density?: number}} [wished]  `density` from 0, the smallest pictures. */
  constructor({ kind = 'justified', density = 2 } = {}) {
    this.kind = kind;
    this.density = Math.max(0, Math.min(Arrangement.densities - 1, Math.round(density)));
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
   * @param {Shape} shape  Of the order that is shown.
   * @param {Bent} [bent]  What stays as it was.
   * @returns {import('./geometry.js').Layout}
   */
  layout(screen, shape, bent) {
    const { width, gap } = screen;
    const inRow = Arrangement.#inRow(this.density, screen);
    // A square takes about as much room as a picture of the usual proportions that is as high as a row.
    const columns = Math.round(inRow * Math.sqrt(Shape.assumed));
    if (this.kind === 'squares') return new TileLayout({ width, gap, columns }, bent);
    if (shape.isEven) return new TileLayout({ width, gap, columns: inRow, aspect: Shape.assumed }, bent);
    const rowHeight = Arrangement.#heightOf(inRow, screen);
    const most = Arrangement.#mostInRow(rowHeight, screen);
    return new JustifiedLayout({ width, gap, rowHeight, most, inRow, shape }, bent);
  }

  /**
   * How many pictures of the usual proportions a row has: whole ones, so that those of most galleries stand in columns.
   * @param {number} density
   * @param {Screen} screen
   */
  static #inRow(density, screen) {
    const { width, height, gap } = screen;
    const { most, least, share } = Arrangement.#lowest;
    const lowest = Math.max(least, Math.min(most, width * share));
    const steps = Arrangement.densities - 1;
    let smallest = steps + 1;
    while (Arrangement.#fits(smallest + 1, screen, lowest)) smallest += 1;
    while (smallest > 1 && !Arrangement.#fits(smallest, screen, 0)) smallest -= 1;
    const room = Math.round((width + gap) / ((Arrangement.#highest * height) / 0.75 + gap));
    const largest = Math.max(1, Math.min(Math.max(Arrangement.#fewest, room), smallest - steps));
    const even = Math.round(smallest * (largest / smallest) ** (density / steps));
    return Math.max(1, Math.min(smallest, Math.max(even, largest + steps - density)));
  }

  /**
   * Whether rows of so many pictures are high enough, and the document not too full with them.
   * @param {number} inRow
   * @param {Screen} screen
   * @param {number} lowest
   */
  static #fits(inRow, screen, lowest) {
    const height = Arrangement.#heightOf(inRow, screen);
    const onScreen = (screen.height / (height + screen.gap) + 2) * (screen.width / height);
    return height >= lowest && onScreen <= Geometry.mostCells - 10;
  }

  /**
   * @param {number} inRow
   * @param {Screen} screen
   */
  static #heightOf(inRow, { width, gap }) {
    return Math.max(1, ((width + gap) / inRow - gap) / Shape.assumed);
  }

  /**
   * However narrow pictures are, the document does not hold too many of them.
   * @param {number} rowHeight
   * @param {Screen} screen
   */
  static #mostInRow(rowHeight, { width, height, gap }) {
    const rows = Math.ceil(height / (rowHeight + gap)) + 1;
    return Math.max(2, Math.min(Math.ceil((2 * width) / rowHeight), Math.floor(Geometry.mostCells / rows)));
  }
}
