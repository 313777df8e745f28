import { isFieldInvalid } from '../page/field-problem.js';
import { find } from '../page/template.js';

/**
 * On a narrow screen the search and the controls for order and size are folded away; the button that unfolds them shows
 * when the order is not the default.
 */
export class Bar {
  #bar = find('#bar');
  #button = find('#bar-button');
  #finding;

  /** @param {import('./finding.js').Finding} finding */
  constructor(finding) {
    this.#finding = finding;
    this.#button.addEventListener('click', () => this.#open(this.#bar.dataset.open === 'order' ? '' : 'order'));
    finding.addEventListener('summons', () => this.#open('search'));
    finding.addEventListener('request', () => this.#follow());
    // What is wrong with a search is said below its field.
    finding.addEventListener('problem', () => finding.requested.q && this.#open('search'));
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !this.#bar.dataset.open) return;
      this.#open('');
      this.#button.focus();
    });
    // The error below the field remains visible.
    find('#search').addEventListener('submit', () => isFieldInvalid(find('#search-field')) || this.#open(''));
    addEventListener('pointerdown', ({ target }) => {
      const isWithin = [this.#bar, this.#button].some((each) => each.contains(/** @type {Node} */ (target)));
      if (!isWithin) this.#open('');
    });
    this.#follow();
  }

  /** @param {'search' | 'order' | ''} part  The unfolded part, if any. */
  #open(part) {
    this.#bar.dataset.open = part;
    this.#button.setAttribute('aria-expanded', String(part === 'order'));
  }

  #follow() {
    const order = this.#finding.requested.with({ q: '', folder: '' });
    const isUsual = order.text === document.documentElement.dataset.defaultView;
    this.#button.toggleAttribute('data-used', !isUsual);
  }
}
