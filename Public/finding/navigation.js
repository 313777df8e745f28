import { find } from '../page/template.js';

/** The ways through the gallery that are always at hand: all of it, its folders, and the search. */
export class Navigation {
  #finding;
  #all = find('#navigation-all');
  #folders = find('#folders-button');
  #search = find('#navigation-search');

  /**
   * @param {{finding: import('./finding.js').Finding, search: import('./search.js').Search,
   *   grid: import('../grid/grid.js').Grid}} parts
   */
  constructor({ finding, search, grid }) {
    this.#finding = finding;
    this.#all.addEventListener('click', () => {
      // Who sees all of it already goes to its beginning.
      if (!finding.wished.isNarrowed) grid.goToStart();
      else finding.wish(finding.wished.with({ q: '', folder: '' }));
    });
    this.#search.addEventListener('click', () => search.summon());
    finding.addEventListener('wish', () => this.#follow());
    this.#follow();
  }

  #follow() {
    const { q, folder } = this.#finding.wished;
    const narrowed = folder ? this.#folders : this.#all;
    const current = q ? this.#search : narrowed;
    for (const entry of [this.#all, this.#folders, this.#search]) {
      if (entry === current) entry.setAttribute('aria-current', 'page');
      else entry.removeAttribute('aria-current');
    }
  }
}
