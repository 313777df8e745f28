import { enterGrid } from '../grid/entering.js';
import { announce } from '../page/announcer.js';
import { attachClosing } from '../page/sheet.js';
import { find } from '../page/template.js';
import { folderIn, nameOfFolder, parentOf, showBreadcrumbs, topName } from './breadcrumbs.js';
import { FolderTiles } from './folder-tiles.js';

/**
 * The folders of the gallery as a sheet. It opens at the present folder, leads into folders that contain folders and
 * back up, and closes when a folder is chosen.
 */
export class FolderSheet {
  #finding;
  #server;
  #grid;
  /** @type {HTMLDialogElement} */
  #dialog = find('#folders');
  #title = find('#folders-title');
  #up = find('#folders-up');
  #show = find('#folders-show');
  #trail = find('#folders-trail');
  #note = find('#folders-note');
  #tiles = new FolderTiles(find('#folders-list'), find('#folders-body'));
  /** The folder whose folders are listed. */
  #folder = '';
  /** Numbers the requests, so that late answers can be told apart. */
  #turn = 0;

  /**
   * @param {{finding: import('./finding.js').Finding, server: import('../catalog/server.js').Server,
   *   grid: import('../grid/grid.js').Grid}} parts
   */
  constructor({ finding, server, grid }) {
    this.#finding = finding;
    this.#server = server;
    this.#grid = grid;
    attachClosing(this.#dialog);
    this.#dialog.addEventListener('close', () => this.#closed());
    this.#dialog.addEventListener('keydown', (event) => this.#pressed(event));
    this.#up.addEventListener('click', () => this.#goUp());
    this.#show.addEventListener('click', () => this.#choose(this.#folder));
    this.#trail.addEventListener('click', (event) => this.#enter(folderIn(event)));
    this.#tiles.addEventListener('choose', (event) => this.#choose(/** @type {CustomEvent} */ (event).detail));
    this.#tiles.addEventListener('enter', (event) => this.#enter(/** @type {CustomEvent} */ (event).detail));
  }

  async open() {
    const { folder } = this.#finding.requested;
    this.#dialog.showModal();
    const isEmpty = await this.#list(folder);
    // Beside a folder without folders are those that one may want to go on to.
    if (isEmpty && folder !== '') await this.#list(parentOf(folder), folder);
  }

  /**
   * Lists the folders of a folder.
   * @param {string} folder
   * @param {string} [focused]  The folder in it that gets the focus; the first one by default.
   * @returns {Promise<boolean>}  Whether it has none.
   */
  async #list(folder, focused) {
    const turn = (this.#turn += 1);
    this.#tiles.isBusy = true;
    /** @type {import('../catalog/server.js').Folder[] | undefined} */
    const folders = await this.#server.folders(folder).catch(() => undefined);
    if (turn !== this.#turn) return false;
    this.#folder = folder;
    this.#title.textContent = nameOfFolder(folder) || 'Folders';
    this.#up.hidden = folder === '';
    this.#up.setAttribute('aria-label', `Up one level, to ${nameOfFolder(parentOf(folder)) || topName}`);
    this.#trail.hidden = folder === '';
    showBreadcrumbs(find('ol', this.#trail), folder);
    this.#show.hidden = folder === this.#finding.requested.folder;
    this.#show.textContent = folder === '' ? 'Show all pictures' : 'Show pictures';
    this.#note.hidden = folders !== undefined && folders.length > 0;
    this.#note.textContent = folders ? 'No folders here.' : 'The folders cannot be loaded at the moment.';
    this.#tiles.show(folders ?? [], { present: this.#finding.requested.folder, focused });
    if (!folders?.length) (folder === '' ? find('.sheet-close', this.#dialog) : this.#up).focus();
    return folders?.length === 0;
  }

  /** @param {string | undefined} folder */
  async #enter(folder) {
    if (folder === undefined || folder === this.#folder) return;
    const from = this.#folder;
    // Coming up again, the focus is where one went down.
    const below = folder === '' ? from : from.slice(folder.length + 1);
    const isUp = folder === '' || from.startsWith(`${folder}/`);
    await this.#list(folder, isUp ? [folder, below.split('/')[0]].filter(Boolean).join('/') : undefined);
    if (this.#folder === folder) announce(nameOfFolder(folder) || topName);
  }

  #goUp() {
    if (this.#folder !== '') this.#enter(parentOf(this.#folder));
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key === 'Backspace' || (event.altKey && event.key === 'ArrowUp')) this.#goUp();
    else return;
    event.preventDefault();
  }

  /**
   * Displays the pictures of a folder.
   * @param {string} folder
   */
  async #choose(folder) {
    this.#dialog.close();
    await this.#finding.request(this.#finding.requested.with({ folder }));
    // The user may have gone elsewhere since.
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.id === 'folders-button') enterGrid(this.#grid);
  }

  #closed() {
    this.#turn += 1;
    this.#tiles.clear();
  }
}
