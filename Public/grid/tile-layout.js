import { Tiles } from './tiles.js';

/**
 * @typedef {{leads?: Map<string, number>, pinned?: {slot: number, column: number}}} Bent  `leads`, by title: the empty
 *   places at the start of a part. `pinned`: a slot that keeps its column, whatever lead its part needs for that.
 */

/** Equal tiles in columns: squares, or the assumed aspect ratio while nothing is known of the images. */
export class TileLayout {
  /** All rows of tiles are alike, so none has to be kept. */
  bent = undefined;
  #leads;
  #pinned;

  /**
   * @param {{width: number, gap: number, columns: number, aspect?: number}} measures  `aspect`: width divided by
   *   height.
   * @param {Bent} bent
   */
  constructor({ width, gap, columns, aspect = 1 }, { leads = new Map(), pinned } = {}) {
    this.gap = gap;
    this.columns = columns;
    this.inRow = columns;
    const tile = Math.max(1, Math.round((width - gap * (columns - 1)) / columns));
    this.tileHeight = Math.max(1, Math.round(tile / aspect));
    this.longerSide = Math.max(tile, this.tileHeight);
    /** Images fill squares; in tiles of another shape they are displayed whole. */
    this.side = aspect === 1 ? /** @type {const} */ ('shorter') : /** @type {const} */ ('longer');
    this.pitch = this.tileHeight + gap;
    const edges = Array.from({ length: columns }, (_, at) => Math.round((at * (width + gap)) / columns));
    this.lefts = edges;
    this.widths = edges.map((left, at) => (edges[at + 1] ?? width + gap) - gap - left);
    this.#leads = leads;
    this.#pinned = pinned;
  }

  /** How much of its side an image needs, in CSS pixels. */
  neededBy() {
    return this.longerSide;
  }

  /**
   * @param {string} title
   * @param {number} count
   * @param {number} first
   */
  lay(title, count, first) {
    const at = this.#pinned ? this.#pinned.slot - first : -1;
    const isPinned = this.#pinned !== undefined && at >= 0 && at < count;
    const lead = isPinned ? Tiles.leadFor(at, this.#pinned?.column ?? 0, this.columns) : this.#leads.get(title);
    return new Tiles(this, count, lead);
  }

  /**
   * Whether the other layout has tiles of the same size.
   * @param {object} other
   */
  isLike(other) {
    return other instanceof TileLayout && other.columns === this.columns && other.tileHeight === this.tileHeight &&
      other.longerSide === this.longerSide;
  }
}
