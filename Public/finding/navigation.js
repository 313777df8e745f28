import { find } from '../page/template.js';

/** The navigation that is always visible: all images, folders, search. */
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
      // With all images displayed already, go to their beginning.
      if (!finding.requested.isNarrowed) grid.goToStart();
      else finding.request(finding.requested.with({ q: '', folder: '' }));
    });
    this.#search.addEventListener('click', () => search.summon());
    finding.addEventListener('request', () => this.#follow());
    this.#follow();
  }

  #follow() {
    const { q, folder } = this.#finding.requested;
    const narrowed = folder ? this.#folders : this.#all;
    const current = q ? this.#search : narrowed;
    for (const entry of [this.#all, this.#folders, this.#search]) {
      if (entry === current) entry.setAttribute('aria-current', 'page');
      else entry.removeAttribute('aria-current');
    }
  }
}
