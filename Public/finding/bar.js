import { find } from '../page/template.js';

/**
 * On a narrow screen what pictures are found and laid out by is folded away: the search until somebody wants to search,
 * the order and the size behind a button, which says when the order is another one than the gallery's own.
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
    finding.addEventListener('wish', () => this.#follow());
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !this.#bar.dataset.open) return;
      this.#open('');
      this.#button.focus();
    });
    find('#search').addEventListener('submit', () => this.#open(''));
    addEventListener('pointerdown', ({ target }) => {
      const isWithin = [this.#bar, this.#button].some((each) => each.contains(/** @type {Node} */ (target)));
      if (!isWithin) this.#open('');
    });
    this.#follow();
  }

  /** @param {'search' | 'order' | ''} part  What is unfolded, if anything is. */
  #open(part) {
    this.#bar.dataset.open = part;
    this.#button.setAttribute('aria-expanded', String(part === 'order'));
  }

  #follow() {
    this.#button.toggleAttribute('data-used', !this.#finding.wished.with({ q: '', folder: '' }).isPlain);
  }
}
