import { loadLater } from '../page/loading-later.js';
import { find } from '../page/template.js';

/** The entry of the navigation that opens the folders. Hidden in a gallery without folders. */
export class Folders {
  #parts;
  #button = find('#folders-button');
  /**
   * The number of images in the gallery when it last had no folders.
   * @type {number | undefined}
   */
  #seenTotal;
  /** @type {import('./folder-sheet.js').FolderSheet | undefined} */
  #sheet;

  /**
   * @param {{finding: import('./finding.js').Finding, server: import('../catalog/server.js').Server, pages:
   *   import('../catalog/pages.js').Pages, grid: import('../grid/grid.js').Grid}} parts
   */
  constructor(parts) {
    this.#parts = parts;
    parts.pages.addEventListener('catalog', () => this.#lookForFolders());
    this.#button.addEventListener('click', () => this.#open());
  }

  /** A gallery without folders may get some with its next images. */
  async #lookForFolders() {
    const { view, total } = this.#parts.pages;
    if (view.folder !== '') this.#button.hidden = false;
    if (!this.#button.hidden || view.isNarrowed || total === this.#seenTotal) return;
    this.#seenTotal = total;
    try {
      const folders = await this.#parts.server.folders('');
      if (folders.length > 0) this.#button.hidden = false;
    } catch {
      this.#seenTotal = undefined;
    }
  }

  async #open() {
    const later = this.#sheet ? undefined : await loadLater();
    if (later) this.#sheet ??= new later.FolderSheet(this.#parts);
    this.#sheet?.open();
  }
}
