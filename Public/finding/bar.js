import { find } from '../page/template.js';

/** On a narrow screen the bar is folded away behind a button, which says when something is searched for. */
export class Bar {
  #bar = find('#bar');
  #button = find('#bar-button');
  #finding;

  /** @param {import('./finding.js').Finding} finding */
  constructor(finding) {
    this.#finding = finding;
    this.#button.addEventListener('click', () => this.#toggle(!this.#isOpen));
    finding.addEventListener('summons', () => this.#toggle(true));
    finding.addEventListener('wish', () => this.#follow());
    this.#bar.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || !this.#isOpen) return;
      this.#toggle(false);
      this.#button.focus();
    });
    find('#search').addEventListener('submit', () => this.#toggle(false));
    find('#grid').addEventListener('click', () => this.#toggle(false));
    this.#follow();
  }

  get #isOpen() {
    return this.#bar.hasAttribute('data-open');
  }

  /** @param {boolean} isOpen */
  #toggle(isOpen) {
    this.#bar.toggleAttribute('data-open', isOpen);
    this.#button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) find('#search-field').focus();
  }

  #follow() {
    const { q, isPlain } = this.#finding.wished;
    this.#button.toggleAttribute('data-used', !isPlain);
    this.#button.setAttribute('aria-label', q ? `Search and sort. Searching for ${q}` : 'Search and sort');
  }
}
