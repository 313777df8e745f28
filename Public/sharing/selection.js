import { keepSelection, takeSelection } from './kept-selection.js';

/** The server's limit for one page of the catalog. */
const pageLimit = 500;
/** The server's limit for the images of one share. */
const shareLimit = 1_000;
/**
 * The pictures that the user has selected in the grid: a set of image ids, kept while the grid scrolls or shows another
 * view. While a selection is active, each slot on screen says whether its picture belongs to it.
 *
 * Events: `change` when it begins or ends, its pictures change, or a range is being read.
 */
export class Selection extends EventTarget {
  #grid;
  #pages;
  #server;
  #announce;
  #formatNumber;
  #showMessage;
  /** @type {Set<string>} */
  #images = new Set();
  /**
   * Where the next range begins: the last picture toggled, or the end of the last range.
   * @type {{id: string, index: number} | undefined}
   */
  #anchor;
  /** Counts the selections, so that a range read for an earlier one can be told apart. */
  #number = 0;
  /** How many ranges are being read. */
  #reading = 0;
  isActive = false;

  /** @param {import('../page/account-action.js').SharingDependencies} dependencies */
  constructor({ grid, pages, server, announce, formatNumber, showMessage }) {
    super();
    this.#grid = grid;
    this.#pages = pages;
    this.#server = server;
    this.#announce = announce;
    this.#formatNumber = formatNumber;
    this.#showMessage = showMessage;
    grid.addEventListener('move', () => this.isActive && this.#mark());
  }

  /** Ids, in the sequence in which they were selected. */
  get images() {
    return [...this.#images];
  }

  /** Whether it has pictures, and all that the user has asked for. */
  get isComplete() {
    return this.#images.size > 0 && this.#reading === 0;
  }

  get text() {
    return this.#images.size === 0 ? 'No pictures selected' : `${this.#formatNumber(this.#images.size)} selected`;
  }

  begin() {
    if (this.isActive) return;
    this.#number += 1;
    this.isActive = true;
    this.#announce('Selecting pictures. Press Escape to cancel.');
    this.#changed();
  }

  /** Forgets the selection. */
  end() {
    if (!this.isActive) return;
    this.#number += 1;
    this.isActive = false;
    this.#images.clear();
    this.#anchor = undefined;
    this.#announce('Selection cleared');
    this.#changed();
  }

  /** Keeps the selection in this tab, for a visit to another page. */
  keep() {
    keepSelection(this.images);
  }

  /** Continues the selection that was kept, if there is one. */
  restore() {
    const kept = takeSelection();
    if (kept.length === 0) return;
    this.#images = new Set(kept);
    this.begin();
  }

  /**
   * Adds the picture in a slot, or removes it. Begins the selection if necessary.
   * @param {number} index
   */
  toggle(index) {
    const id = this.#grid.cellAt(index)?.image?.id;
    if (!id) return;
    this.begin();
    if (this.#images.delete(id) || this.#add([id])) this.#anchor = { id, index };
    this.#report();
  }

  /**
   * Adds all pictures between the one toggled last and this one.
   * @param {number} index
   */
  async extendTo(index) {
    const anchor = this.#anchor;
    const id = this.#grid.cellAt(index)?.image?.id;
    if (!id) return;
    if (!anchor) {
      this.toggle(index);
      return;
    }
    this.#anchor = { id, index };
    await this.#addFound(async () => (await this.#between(anchor, { id, index })) ?? this.#moved(anchor.id, id));
  }

  /** Adds all pictures of the view on screen. */
  async addAll() {
    const { total = 0 } = this.#pages;
    if (total > 0) await this.#addFound(() => this.#read(0, total - 1));
  }

  /** @param {() => Promise<string[] | undefined>} find  Finds ids; undefined if they could not be had. */
  async #addFound(find) {
    const number = this.#number;
    this.#reading += 1;
    this.#changed();
    const found = await find().catch(() => undefined);
    this.#reading -= 1;
    if (number === this.#number) {
      if (!found) this.#showMessage('The pictures could not be selected. Try again.');
      else this.#add(found);
      this.#report();
    } else {
      this.#changed();
    }
  }

  /**
   * The images from one to another, both included, in either direction. Undefined if they are no longer where they were.
   * @param {{id: string, index: number}} one
   * @param {{id: string, index: number}} other
   */
  async #between(one, other) {
    const [first, last] = one.index <= other.index ? [one, other] : [other, one];
    const found = (await this.#read(first.index, last.index)) ?? [];
    const isOver = last.index - first.index >= shareLimit;
    return isOver || (found[0] === first.id && found.at(-1) === last.id) ? found : undefined;
  }

  /**
   * The same for images whose positions have changed. Of those that are no longer in the view, only the last.
   * @param {string} one
   * @param {string} other
   */
  async #moved(one, other) {
    const { view } = this.#pages;
    const [from, to] = await Promise.all([one, other].map((id) => this.#server.position(view, id)));
    if (from === undefined || to === undefined) return [other];
    return this.#between({ id: one, index: from }, { id: other, index: to });
  }

  /**
   * Ids of a run of images of the view on screen; none if there are too many. Undefined if the order changes while it is
   * being read.
   * @param {number} first
   * @param {number} last
   * @returns {Promise<string[] | undefined>}
   */
  async #read(first, last) {
    if (last - first >= shareLimit) {
      this.#showLimit();
      return [];
    }
    const { view } = this.#pages;
    /** @type {import('../catalog/server.js').Page[]} */
    const read = [];
    for (let offset = first; offset <= last; offset += pageLimit) {
      read.push(await this.#server.page(view, offset, Math.min(pageLimit, last - offset + 1)));
    }
    if (read.some(({ revision }) => revision !== read[0].revision)) return undefined;
    return read.flatMap(({ images }) => images.map(({ id }) => id));
  }

  /**
   * @param {string[]} images
   * @returns {boolean}  Whether there was room for them; otherwise none is added.
   */
  #add(images) {
    const added = images.filter((id) => !this.#images.has(id));
    if (this.#images.size + added.length > shareLimit) {
      this.#showLimit();
      return false;
    }
    for (const id of added) this.#images.add(id);
    return true;
  }

  #showLimit() {
    this.#showMessage('A link can show up to 1,000 selected pictures. To share more, share a folder or a search instead.');
  }

  #report() {
    this.#announce(this.text);
    this.#changed();
  }

  #changed() {
    this.#mark();
    this.dispatchEvent(new Event('change'));
  }

  #mark() {
    const grid = document.querySelector('#grid');
    document.documentElement.toggleAttribute('data-selecting', this.isActive);
    if (!this.isActive) {
      grid?.removeAttribute('aria-multiselectable');
      grid?.querySelectorAll('.slot[aria-selected]').forEach((slot) => slot.removeAttribute('aria-selected'));
      return;
    }
    grid?.setAttribute('aria-multiselectable', 'true');
    const { first, last, before, after } = this.#grid.span;
    for (let index = Math.max(0, first - before); index <= last + after; index += 1) {
      const cell = this.#grid.cellAt(index);
      if (!cell) continue;
      const isSelected = String(cell.image !== null && this.#images.has(cell.image.id));
      if (cell.element.getAttribute('aria-selected') !== isSelected) cell.element.setAttribute('aria-selected', isSelected);
    }
  }
}
