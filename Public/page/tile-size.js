import { find } from './template.js';

/** How large people like the squares, remembered on this device. */
export class TileSize {
  static #key = 'tessera.tile';

  /** @type {HTMLInputElement} */
  #slider = find('#tile-size');

  /** @param {import('../grid/grid.js').Grid} grid */
  constructor(grid) {
    const remembered = recall(TileSize.#key);
    if (remembered) this.#slider.value = remembered;
    grid.preferredTile = this.#slider.valueAsNumber;
    this.#slider.addEventListener('input', () => {
      grid.preferredTile = this.#slider.valueAsNumber;
      remember(TileSize.#key, this.#slider.value);
    });
  }
}

/** @param {string} key */
function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // Storage can be forbidden; the slider then starts where the page has it.
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // As above.
  }
}
