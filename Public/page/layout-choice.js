import { Arrangement } from '../grid/arrangement.js';
import { announce } from './announcer.js';
import { readPreference, savePreference } from './memory.js';
import { find } from './template.js';

const preferenceNames = { density: 'density', kind: 'layout' };
const sizes = ['Smallest', 'Small', 'Medium', 'Large', 'Largest'];

/** The user's choice of size and arrangement; remembered on this device. */
export class LayoutChoice {
  /** @type {HTMLInputElement} */
  #slider = find('#density');
  #button = find('#squares');
  #grid;

  /** @param {import('../grid/grid.js').Grid} grid */
  constructor(grid) {
    this.#grid = grid;
    const density = readPreference(preferenceNames.density);
    const kind = readPreference(preferenceNames.kind) === 'squares' ? 'squares' : 'justified';
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
    announce(isSquare ? 'Original proportions' : 'Square grid');
  }

  #follow() {
    const { density, kind } = this.#grid.arrangement;
    this.#slider.value = String(density);
    this.#slider.setAttribute('aria-valuetext', sizes[density]);
    this.#button.setAttribute('aria-pressed', String(kind === 'squares'));
    savePreference(preferenceNames.density, String(density));
    savePreference(preferenceNames.kind, kind);
  }
}
