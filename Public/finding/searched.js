import { nameOfDayOfYear } from '../grid/days.js';
import { enterGrid } from '../grid/entering.js';
import { find } from '../page/template.js';

/**
 * The search, below the bar of a narrow screen, where the field itself is folded away: pressed, it unfolds the field;
 * its second button ends the search.
 */
export class Searched {
  #pages;
  #grid;
  #onRoom;
  #element = find('#searched');
  #text = find('#searched-text');

  /**
   * @param {{search: import('./search.js').Search, finding: import('./finding.js').Finding, pages:
   *   import('../catalog/pages.js').Pages, grid: import('../grid/grid.js').Grid, onRoom: () => void}} parts  `onRoom`:
   *   called when it appears or disappears.
   */
  constructor({ search, finding, pages, grid, onRoom }) {
    this.#pages = pages;
    this.#grid = grid;
    this.#onRoom = onRoom;
    this.#text.addEventListener('click', () => search.summon());
    find('#searched-clear').addEventListener('click', () => finding.request(finding.requested.with({ q: '' })));
    pages.addEventListener('order', () => this.#follow());
  }

  #follow() {
    const { q } = this.#pages.view;
    const day = nameOfDayOfYear(q.match(/^on:(\d\d-\d\d)$/)?.[1] ?? '');
    this.#text.textContent = day ? `On ${day}` : `“${q}”`;
    if (this.#element.hidden === (q === '')) return;
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.hidden = q === '';
    document.documentElement.toggleAttribute('data-searched', q !== '');
    this.#onRoom();
    if (hadFocus) enterGrid(this.#grid);
  }
}
