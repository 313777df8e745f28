import { Tiles } from './tiles.js';

/**
 * @typedef {{leads?: Map<string, number>, pinned?: {slot: number, column: number}}} Bent  `leads`, by title: the places
 *   that are left empty before the first slot of a part. `pinned`: a slot that stands in a column, whatever lead its part
 *   must have for that.
 */

/** Equal tiles in columns: squares, or the shape that pictures are taken to have where nothing is known of them. */
export class TileLayout {
  /** Rows as they are: of tiles all are alike. */
  bent = undefined;
  #leads;
  #pinned;

  /**
   * @param {{width: number, gap: number, columns: number, aspect?: number}} measures  `aspect`: width by height.
   * @param {Bent} [bent]
   */
  constructor({ width, gap, columns, aspect = 1 }, { leads = new Map(), pinned } = {}) {
    this.gap = gap;
    this.columns = columns;
    this.inRow = columns;
    const tile = Math.max(1, Math.round((width - gap * (columns - 1)) / columns));
    this.tileHeight = Math.max(1, Math.round(tile / aspect));
    this.longerSide = Math.max(tile, this.tileHeight);
    /** Pictures fill squares; in tiles of another shape they stand whole. */
    this.side = /** @type {const} */ (aspect === 1 ? 'shorter' : 'longer');
    this.pitch = this.tileHeight + gap;
    const edges = Array.from({ length: columns }, (_, at) => Math.round((at * (width + gap)) / columns));
    this.lefts = edges;
    this.widths = edges.map((left, at) => (edges[at + 1] ?? width + gap) - gap - left);
    this.#leads = leads;
    this.#pinned = pinned;
  }

  /** How much of its side a picture needs, in CSS pixels. */
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
   * Whether tiles are as large in the other one.
   * @param {object} other
   */
  isLike(other) {
    return other instanceof TileLayout && other.columns === this.columns && other.tileHeight === this.tileHeight &&
      other.longerSide === this.longerSide;
  }
}
