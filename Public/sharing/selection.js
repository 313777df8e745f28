/** @typedef {import('../catalog/server.js').GalleryImage} GalleryImage */

/** The server's limit for one page of the catalog. */
const pageLimit = 500;
/** The server's limit for the images of one share. */
const limit = 1_000;

/**
 * The pictures that somebody has picked in the grid: a set of image ids, which stays when the grid scrolls or shows
 * another view. While a selection is active, each slot on screen says whether its picture belongs to it.
 *
 * Events: `change` when it begins, ends, or has other pictures.
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
   * Where a range begins: the last picture that was toggled.
   * @type {{index: number, order: string} | undefined}
   */
  #anchor;
  isActive = false;

  /** @param {import('../page/account-action.js').Lent} lent */
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

  get text() {
    return this.#images.size === 0 ? 'Select pictures' : `${this.#formatNumber(this.#images.size)} selected`;
  }

  begin() {
    if (this.isActive) return;
    this.isActive = true;
    this.#announce('Selecting pictures. Press Escape to stop.');
    this.#changed();
  }

  /** Forgets the selection. */
  end() {
    if (!this.isActive) return;
    this.isActive = false;
    this.#images.clear();
    this.#anchor = undefined;
    this.#announce('Selection cleared');
    this.#changed();
  }

  /**
   * Adds the picture in a slot, or removes it. Begins the selection if necessary.
   * @param {number} index
   */
  toggle(index) {
    const id = this.#grid.cellAt(index)?.image?.id;
    if (!id) return;
    this.begin();
    if (this.#images.delete(id) || this.#add([id])) this.#anchor = { index, order: this.#order };
    this.#tell();
  }

  /**
   * Adds all pictures between the one toggled last and this one. If the order has changed since, only this one.
   * @param {number} index
   */
  async extendTo(index) {
    if (this.#anchor?.order !== this.#order) {
      const id = this.#grid.cellAt(index)?.image?.id;
      if (!id || !this.#images.has(id)) this.toggle(index);
      return;
    }
    const from = this.#anchor.index;
    await this.#addRange(Math.min(from, index), Math.max(from, index));
  }

  /** Adds all pictures of the view on screen. */
  async addAll() {
    if (this.#pages.total) await this.#addRange(0, this.#pages.total - 1);
  }

  /** What an index belongs to: the same index in another order is another picture. */
  get #order() {
    return `${this.#pages.view.text} ${this.#pages.revision}`;
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  async #addRange(first, last) {
    if (last - first >= limit) return this.#showLimit();
    const order = this.#order;
    const { view, revision } = this.#pages;
    try {
      const found = [];
      for (let offset = first; offset <= last; offset += pageLimit) {
        const page = await this.#server.page(view, offset, Math.min(pageLimit, last - offset + 1));
        if (page.revision !== revision) throw new Error('another order');
        found.push(...page.images.map(({ id }) => id));
      }
      // The user has moved on meanwhile.
      if (!this.isActive || order !== this.#order) return;
      if (this.#add(found)) this.#anchor = { index: last, order };
      this.#tell();
    } catch {
      this.#showMessage('The pictures cannot be selected now. Try again.');
    }
  }

  /**
   * @param {string[]} images
   * @returns {boolean}  Whether there was room for them; otherwise none is added.
   */
  #add(images) {
    const added = images.filter((id) => !this.#images.has(id));
    if (this.#images.size + added.length > limit) {
      this.#showLimit();
      return false;
    }
    for (const id of added) this.#images.add(id);
    return true;
  }

  #showLimit() {
    this.#showMessage('A link can show up to 1,000 selected pictures. To share more, share their folder or a search.');
  }

  #tell() {
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
