/**
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {import('./tile-index.js').TileIndex} TileIndex
 */

/**
 * The tiles in the document, each at its place in the image. Each level has an element of its own, in which its pixels
 * are CSS pixels: browsers round positions to these, and tiles at fractions of them would overlap here and leave gaps
 * there. Finer levels lie on coarser ones.
 */
export class TileLayer {
  element = document.createElement('div');
  /** @type {Map<number, {tile: Tile, element: HTMLImageElement}>} */
  #shown = new Map();
  /** @type {(HTMLElement | undefined)[]} */
  #levels = [];
  #size = { width: 0, height: 0 };

  constructor() {
    this.element.className = 'frame-tiles';
  }

  get tiles() {
    return [...this.#shown.values()].map(({ tile }) => tile);
  }

  /** @param {number} number  A tile's. */
  has(number) {
    return this.#shown.has(number);
  }

  /**
   * @param {TileIndex} index
   * @param {{width: number, height: number}} size  Of the image, in the CSS pixels of its container.
   */
  resize(index, size) {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#levels.forEach((element, level) => element && this.#scale(element, index.levels[level]));
  }

  /**
   * @param {TileIndex} index
   * @param {Tile} tile
   * @param {HTMLImageElement} element  Decoded.
   */
  add(index, tile, element) {
    element.className = 'frame-tile';
    element.alt = '';
    element.style.left = `${tile.x}px`;
    element.style.top = `${tile.y}px`;
    element.style.width = `${tile.width}px`;
    element.style.height = `${tile.height}px`;
    this.#shown.set(tile.number, { tile, element });
    this.#levelAt(index, tile.level).append(element);
  }

  /** @param {Tile[]} tiles */
  remove(tiles) {
    for (const { number, level } of tiles) {
      this.#shown.get(number)?.element.remove();
      this.#shown.delete(number);
      if (this.#levels[level]?.childElementCount) continue;
      this.#levels[level]?.remove();
      this.#levels[level] = undefined;
    }
  }

  /**
   * @param {TileIndex} index
   * @param {number} level
   */
  #levelAt(index, level) {
    const known = this.#levels[level];
    if (known) return known;
    const element = document.createElement('div');
    element.className = 'frame-level';
    this.#scale(element, index.levels[level]);
    this.#levels[level] = element;
    this.element.insertBefore(element, this.#levels.slice(0, level).findLast((finer) => finer) ?? null);
    return element;
  }

  /**
   * @param {HTMLElement} element
   * @param {{width: number, height: number}} level
   */
  #scale(element, { width, height }) {
    element.style.transform = `scale(${this.#size.width / width}, ${this.#size.height / height})`;
  }
}
