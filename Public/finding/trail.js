import { formatNumber } from '../page/numbers.js';
import { cloneTemplate, find } from '../page/template.js';

/**
 * @typedef {{path: string, name: string, count: number}} Folder
 */

/**
 * Folders: the path from the gallery down to the present one, and its subfolders with the number of images in each.
 * Hidden in a gallery without folders.
 */
export class Trail {
  /** Names of at most so many letters are never cut. */
  static #longName = 24;

  #finding;
  #server;
  #pages;
  #onRoom;
  #trail = find('#trail');
  #button = find('#folders-button');
  #menu = find('#folders');
  #list = find('#folders-list');
  #empty = find('#folders-none');
  /** Numbers the requests, so that late answers can be told apart. */
  #turn = 0;
  /**
   * The number of images in the gallery when it last had no folders.
   * @type {number | undefined}
   */
  #seenTotal;

  /**
   * @param {{finding: import('./finding.js').Finding, server: import('../catalog/server.js').Server, pages:
   *   import('../catalog/pages.js').Pages, onRoom: () => void}} parts  `onRoom`: called when the trail appears or
   *   disappears.
   */
  constructor({ finding, server, pages, onRoom }) {
    this.#finding = finding;
    this.#server = server;
    this.#pages = pages;
    this.#onRoom = onRoom;
    pages.addEventListener('order', () => this.#follow());
    pages.addEventListener('catalog', () => this.#lookForFolders());
    this.#menu.addEventListener('beforetoggle', (event) => {
      if (/** @type {ToggleEvent} */ (event).newState === 'open') this.#fill();
    });
    this.#menu.addEventListener('keydown', (event) => this.#moved(event));
    this.#menu.addEventListener('click', (event) => this.#chosen(event));
    this.#trail.addEventListener('click', (event) => this.#chosen(event));
  }

  /** A gallery without folders may get some with its next images. */
  async #lookForFolders() {
    const { view, total } = this.#pages;
    if (!this.#button.hidden || view.isNarrowed || total === this.#seenTotal) return;
    this.#seenTotal = total;
    try {
      const folders = await this.#server.folders('');
      if (folders.length > 0) this.#button.hidden = false;
    } catch {
      this.#seenTotal = undefined;
    }
  }

  #follow() {
    const { folder } = this.#pages.view;
    this.#trail.hidden = folder === '';
    if (document.documentElement.hasAttribute('data-trail') !== (folder !== '')) {
      document.documentElement.toggleAttribute('data-trail', folder !== '');
      this.#onRoom();
    }
    if (folder === '') return;
    this.#button.hidden = false;
    const names = folder.split('/');
    const steps = names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') }));
    const list = find('ol', this.#trail);
    list.replaceChildren(...[{ name: 'All folders', path: '' }, ...steps].map(({ name, path }, at) => {
      const step = cloneTemplate('trail-template');
      step.toggleAttribute('data-long', name.length > Trail.#longName);
      const button = find('button', step);
      button.textContent = name;
      button.title = name;
      button.dataset.folder = path;
      if (at === steps.length) button.setAttribute('aria-current', 'page');
      return step;
    }));
    list.scrollLeft = list.scrollWidth;
  }

  async #fill() {
    const turn = (this.#turn += 1);
    const { folder } = this.#finding.requested;
    this.#list.setAttribute('aria-busy', 'true');
    /** @type {Folder[]} */
    const folders = await this.#server.folders(folder).catch(() => []);
    if (turn !== this.#turn) return;
    this.#list.removeAttribute('aria-busy');
    this.#empty.hidden = folders.length > 0;
    this.#list.replaceChildren(...folders.map((each) => {
      const line = cloneTemplate('folder-template');
      const button = find('button', line);
      button.dataset.folder = each.path;
      find('.folder-name', line).textContent = each.name;
      find('.folder-count', line).textContent = formatNumber(each.count);
      return line;
    }));
    if (this.#menu.matches(':popover-open')) this.#list.querySelector('button')?.focus();
  }

  /** @param {Event} event */
  #chosen(event) {
    const button = /** @type {HTMLElement} */ (event.target).closest?.('button[data-folder]');
    const folder = button?.getAttribute('data-folder');
    if (folder === undefined || folder === null) return;
    if (this.#menu.matches(':popover-open')) this.#menu.hidePopover();
    this.#finding.request(this.#finding.requested.with({ folder }));
  }

  /** @param {KeyboardEvent} event */
  #moved(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const buttons = [...this.#list.querySelectorAll('button')];
    const at = buttons.findIndex((button) => button === document.activeElement);
    buttons[Math.max(0, Math.min(buttons.length - 1, at + by))]?.focus();
  }
}
