import { enterGrid } from '../grid/entering.js';
import { find } from '../page/template.js';
import { folderIn, showBreadcrumbs } from './breadcrumbs.js';

/** The path from the gallery down to the present folder, below the bar. Hidden while the whole gallery is displayed. */
export class Trail {
  #grid;
  #pages;
  #onRoom;
  #trail = find('#trail');
  #list = find('ol', this.#trail);
  #folder = '';

  /**
   * @param {{finding: import('./finding.js').Finding, pages: import('../catalog/pages.js').Pages,
   *   grid: import('../grid/grid.js').Grid, onRoom: () => void}} parts  `onRoom`: called when the trail appears or
   *   disappears.
   */
  constructor({ finding, pages, grid, onRoom }) {
    this.#grid = grid;
    this.#pages = pages;
    this.#onRoom = onRoom;
    pages.addEventListener('order', () => this.#follow());
    this.#trail.addEventListener('click', (event) => {
      const folder = folderIn(event);
      if (folder !== undefined) finding.request(finding.requested.with({ folder }));
    });
  }

  #follow() {
    const { folder } = this.#pages.view;
    if (folder === this.#folder) return;
    const hadFocus = this.#trail.contains(document.activeElement);
    const hasRoom = this.#folder !== '';
    this.#folder = folder;
    this.#trail.hidden = folder === '';
    if (hasRoom !== (folder !== '')) {
      document.documentElement.toggleAttribute('data-trail', folder !== '');
      this.#onRoom();
    }
    showBreadcrumbs(this.#list, folder);
    this.#list.scrollLeft = this.#list.scrollWidth;
    if (!hadFocus) return;
    if (folder === '') enterGrid(this.#grid);
    else find('[aria-current]', this.#list).focus();
  }
}
