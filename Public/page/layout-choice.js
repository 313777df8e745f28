import { Arrangement } from '../grid/arrangement.js';
import { announce } from './announcer.js';
import { find } from './template.js';

/** How large people like the pictures, and whether in rows or in squares; remembered on this device. */
export class LayoutChoice {
  static #keys = { density: 'tessera.density', kind: 'tessera.layout' };
  static #sizes = ['Smallest', 'Small', 'Medium', 'Large', 'Largest'];

  /** @type {HTMLInputElement} */
  #slider = find('#density');
  #button = find('#squares');
  #grid;

  /** @param {import('../grid/grid.js').Grid} grid */
  constructor(grid) {
    this.#grid = grid;
    const density = recall(LayoutChoice.#keys.density);
    const kind = recall(LayoutChoice.#keys.kind) === 'squares' ? 'squares' : 'justified';
    grid.arrange(new Arrangement({ kind, ...(density && { density: Number(density) || 0 }) }));
    grid.addEventListener('arranged', () => this.#follow());
    this.#slider.addEventListener('input', () => {
      grid.arrange(grid.arrangement.with({ density: this.#slider.valueAsNumber }));
    });
    this.#button.addEventListener('click', () => this.#turn());
    this.#follow();
  }

  #turn() {
    const isSquare = this.#grid.arrangement.kind === 'squares';
    this.#grid.arrange(this.#grid.arrangement.with({ kind: isSquare ? 'justified' : 'squares' }));
    announce(isSquare ? 'Whole pictures in rows' : 'Squares');
  }

  #follow() {
    const { density, kind } = this.#grid.arrangement;
    this.#slider.value = String(density);
    this.#slider.setAttribute('aria-valuetext', LayoutChoice.#sizes[density]);
    this.#button.setAttribute('aria-pressed', String(kind === 'squares'));
    remember(LayoutChoice.#keys.density, String(density));
    remember(LayoutChoice.#keys.kind, kind);
  }
}

/** @param {string} key */
function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // Storage can be forbidden; the page then begins as it is made.
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
