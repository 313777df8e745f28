import { loadLater } from '../page/loading-later.js';
import { find } from '../page/template.js';

/** The entry of the navigation that opens the months of the present view. */
export class Dates {
  #parts;
  /** @type {import('./date-sheet.js').DateSheet | undefined} */
  #sheet;

  /**
   * @param {{finding: import('./finding.js').Finding, server: import('../catalog/server.js').Server, pages:
   *   import('../catalog/pages.js').Pages, grid: import('../grid/grid.js').Grid}} parts
   */
  constructor(parts) {
    this.#parts = parts;
    find('#dates-button').addEventListener('click', () => this.#open());
  }

  async #open() {
    const later = this.#sheet ? undefined : await loadLater();
    if (later) this.#sheet ??= new later.DateSheet(this.#parts);
    this.#sheet?.open();
  }
}
