import { cloneTemplate, find } from '../page/template.js';
import { formatNumber } from '../page/numbers.js';
import { dropPlaceholder, paintPlaceholderSoon } from '../placeholder/placeholder.js';

/** @typedef {import('../catalog/server.js').Folder} Folder */

/** How many tiles are appended at once. */
const batch = 120;

/**
 * Folders as tiles with their covers. The list is one stop in the tab order; the arrow keys move in it. Thousands of
 * tiles are appended bit by bit, and a cover is loaded once its tile is near the screen.
 *
 * Events (detail: the path of the folder): `choose`, and `enter` for the folders in it.
 */
export class FolderTiles extends EventTarget {
  #list;
  /** @type {Folder[]} */
  #folders = [];
  #present = '';
  /** The tile in the tab order. */
  #active = 0;
  #covers;
  #frame = 0;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} scroller  The element that scrolls the list.
   */
  constructor(list, scroller) {
    super();
    this.#list = list;
    this.#covers = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) this.#reveal(target);
    }, { root: scroller, rootMargin: '400px 0px' });
    list.addEventListener('click', (event) => this.#clicked(event));
    list.addEventListener('keydown', (event) => this.#pressed(event));
    list.addEventListener('focusin', ({ target }) => this.#activate(this.#indexOf(target)));
  }

  /** @param {boolean} isBusy */
  set isBusy(isBusy) {
    this.#list.setAttribute('aria-busy', String(isBusy));
  }

  /**
   * @param {Folder[]} folders
   * @param {{present: string, focused?: string}} how  `present`: the path of the folder that the gallery displays.
   *   `focused`: that of the folder to focus; the first one by default.
   */
  show(folders, { present, focused }) {
    this.clear();
    this.isBusy = false;
    this.#folders = folders;
    this.#present = present;
    this.#list.hidden = folders.length === 0;
    this.#active = Math.max(0, folders.findIndex(({ path }) => path === focused));
    this.#append(this.#active + 1);
    this.#focus(this.#active);
  }

  /** Nothing is loaded any more. */
  clear() {
    cancelAnimationFrame(this.#frame);
    this.#covers.disconnect();
    for (const canvas of this.#list.querySelectorAll('canvas')) dropPlaceholder(canvas);
    this.#list.replaceChildren();
    this.#folders = [];
  }

  /** @param {number} [least]  How many tiles have to be there now. */
  #append(least = 0) {
    cancelAnimationFrame(this.#frame);
    const { length } = this.#list.children;
    const end = Math.max(least, length + batch);
    const tiles = this.#folders.slice(length, end).map((folder) => this.#make(folder));
    this.#list.append(...tiles);
    for (const tile of tiles) this.#covers.observe(tile);
    if (end < this.#folders.length) this.#frame = requestAnimationFrame(() => this.#append());
  }

  /** @param {Folder} folder */
  #make({ path, name, count, hasFolders, cover }) {
    const tile = cloneTemplate('folder-template');
    const [open, inside] = tile.querySelectorAll('button');
    const pictures = count === 1 ? '1 picture' : `${formatNumber(count)} pictures`;
    open.dataset.folder = path;
    open.setAttribute('aria-label', [name, pictures, hasFolders ? 'contains folders' : ''].filter(Boolean).join(', '));
    open.title = name;
    if (path === this.#present) open.setAttribute('aria-current', 'page');
    find('.folder-name', tile).textContent = name;
    find('.folder-count', tile).textContent = pictures;
    inside.hidden = !hasFolders;
    inside.setAttribute('aria-label', `Folders in ${name}`);
    tile.toggleAttribute('data-nested', hasFolders);
    if (!cover) tile.querySelector('canvas')?.remove();
    return tile;
  }

  /** @param {Element} tile  Near the screen. */
  #reveal(tile) {
    this.#covers.unobserve(tile);
    const cover = this.#folders[this.#indexOf(tile)]?.cover;
    const canvas = tile.querySelector('canvas');
    if (!cover || !canvas) return;
    paintPlaceholderSoon(canvas, cover.placeholder);
    const picture = new Image();
    picture.alt = '';
    picture.decoding = 'async';
    picture.loading = 'lazy';
    picture.addEventListener('load', () => dropPlaceholder(canvas));
    // The placeholder or the glyph stays.
    picture.addEventListener('error', () => picture.remove());
    picture.src = cover.links.tile;
    canvas.after(picture);
  }

  /** @param {EventTarget | null} target  Within a tile. */
  #indexOf(target) {
    const tile = /** @type {Element} */ (target).closest('li');
    return tile ? [...this.#list.children].indexOf(tile) : -1;
  }

  /** @param {Event} event */
  #clicked(event) {
    const button = /** @type {Element} */ (event.target).closest('button');
    if (!button) return;
    const { path } = this.#folders[this.#indexOf(button)];
    this.#say(button.matches('.folder-inside') ? 'enter' : 'choose', path);
  }

  /**
   * @param {string} event
   * @param {string} path
   */
  #say(event, path) {
    this.dispatchEvent(new CustomEvent(event, { detail: path }));
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.ctrlKey || event.metaKey) return;
    const folder = this.#folders[this.#active];
    if (event.altKey) {
      if (event.key !== 'ArrowDown' || !folder.hasFolders) return;
      this.#say('enter', folder.path);
    } else {
      const last = this.#folders.length - 1;
      const to = this.#destinationOf(event.key, last);
      if (to === undefined) return;
      this.#focus(Math.max(0, Math.min(last, to)));
    }
    event.preventDefault();
  }

  /**
   * @param {string} key
   * @param {number} last
   */
  #destinationOf(key, last) {
    const at = this.#active;
    const columns = getComputedStyle(this.#list).gridTemplateColumns.split(' ').length;
    /** @type {Record<string, number>} */
    const destinations = {
      ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last,
      // Not to the end of its own row.
      ArrowUp: at < columns ? at : at - columns,
      ArrowDown: Math.floor(at / columns) === Math.floor(last / columns) ? at : at + columns,
    };
    return destinations[key];
  }

  /** @param {number} index */
  #focus(index) {
    if (index >= this.#list.children.length) this.#append(index + 1);
    this.#list.children[index]?.querySelector('button')?.focus();
  }

  /** @param {number} index  Of the tile that is in the tab order from now on. */
  #activate(index) {
    for (const at of [this.#active, index]) {
      for (const button of this.#list.children[at]?.querySelectorAll('button') ?? []) {
        button.tabIndex = at === index ? 0 : -1;
      }
    }
    this.#active = index;
  }
}
