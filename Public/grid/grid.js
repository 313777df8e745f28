import { find } from '../page/template.js';
import { Cell } from './cell.js';
import { Geometry, clamp } from './geometry.js';
import { Row } from './row.js';
import { Scroller } from './scroller.js';

/**
 * The gallery as a grid of slots. Only the rows on screen, and a few beyond, are in the document.
 *
 * Events: `move` whenever other slots may be on screen, `rest` when scrolling has come to a halt, `open` (detail: the
 * `Cell`) when somebody wants to see a picture large.
 */
export class Grid extends EventTarget {
  /** Faster than this, in pixels a millisecond, what is on screen will be gone before its pictures can come. */
  static #fling = 4;

  #element = find('#grid');
  #layer = find('#rows');
  #pages;
  #loader;
  /** @type {Map<number, Row>} */
  #rows = new Map();
  /** @type {Row[]} */
  #spare = [];
  /** The row that lies at the top of the layer. */
  #origin = 0;
  #layerTop = Number.NaN;
  #preferredTile = 180;
  /** The slot that has, or last had, the keyboard's focus. */
  #active = 0;
  /** The number that was gone to; it is the position for as long as nobody scrolls away from it. */
  #goal = { index: 0, offset: -1 };

  /**
   * @param {import('../catalog/pages.js').Pages} pages
   * @param {import('../loading/loader.js').PictureLoader} loader
   */
  constructor(pages, loader) {
    super();
    this.#pages = pages;
    this.#loader = loader;
    this.geometry = this.#measure();
    this.scroller = new Scroller(this.#element);
    this.scroller.addEventListener('scroll', () => this.#scrolled());
    this.scroller.addEventListener('rest', () => this.#rested());
    pages.addEventListener('page', () => this.#update());
    pages.addEventListener('catalog', () => this.#lay());
    addEventListener('resize', () => this.#lay());
    this.#lay();
    this.#element.addEventListener('click', (event) => this.#clicked(event));
    this.#element.addEventListener('focusin', (event) => this.#focused(event));
  }

  get total() {
    return this.geometry.total;
  }

  get active() {
    return this.#active;
  }

  /** The slot at the top of the screen, or the one that was gone to. */
  get position() {
    if (this.#goal.offset === this.scroller.offset) return this.#goal.index;
    return Math.max(0, this.geometry.slotsAt(this.scroller.offset).first);
  }

  /** @param {number} side  The side that a slot should have if it can, in pixels. */
  set preferredTile(side) {
    if (side === this.#preferredTile) return;
    this.#preferredTile = side;
    this.#lay();
  }

  /**
   * The cell that shows the slot now, if one does.
   * @param {number} index
   * @returns {Cell | undefined}
   */
  cellAt(index) {
    return this.#rows.get(this.geometry.rowOf(index))?.cells[index % this.geometry.columns];
  }

  /**
   * Puts the slot's row at the top of the screen.
   * @param {number} index
   */
  goTo(index) {
    const goal = clamp(index, 0, Math.max(0, this.total - 1));
    this.#active = goal;
    this.scroller.scrollTo(this.geometry.topOf(this.geometry.rowOf(goal)));
    this.#goal = { index: goal, offset: this.scroller.offset };
    this.#update();
  }

  /**
   * Scrolls no further than it must to have the whole slot on screen.
   * @param {number} index
   */
  reveal(index) {
    const row = this.geometry.rowOf(index);
    const offset = this.geometry.offsetShowing(row, this.scroller.offset);
    if (offset !== this.scroller.offset) this.scroller.scrollTo(offset);
  }

  /** @param {number} index */
  focus(index) {
    this.#active = clamp(index, 0, Math.max(0, this.total - 1));
    this.reveal(this.#active);
    this.#update();
    this.cellAt(this.#active)?.element.focus({ preventScroll: true });
  }

  /** The cells on screen, for those who want to know what is seen. */
  *cells() {
    for (const row of this.#rows.values()) yield* row.cells;
  }

  #measure() {
    const gap = Number.parseFloat(getComputedStyle(this.#element).getPropertyValue('--gap')) || 4;
    return new Geometry({
      width: this.#element.clientWidth,
      height: Math.max(1, innerHeight - this.#element.offsetTop),
      total: this.#pages.total ?? 0,
      tile: this.#preferredTile,
      gap,
    });
  }

  /** Lays the grid out anew, and keeps at the top of the screen what is there. */
  #lay() {
    const before = this.geometry;
    const offset = this.scroller.offset;
    this.geometry = this.#measure();
    const { columns, tile, rowHeight } = this.geometry;
    this.#element.style.setProperty('--columns', String(columns));
    this.#element.style.setProperty('--tile', `${tile}px`);
    if (this.#pages.total !== undefined) this.#element.removeAttribute('aria-busy');
    this.#element.setAttribute('aria-rowcount', String(this.geometry.rows));
    this.#element.setAttribute('aria-colcount', String(columns));
    if (columns !== before.columns) this.#reshape(columns);
    const topRow = offset / before.rowHeight;
    const rowNow = Math.floor(Math.floor(topRow) * before.columns / columns) + (topRow % 1);
    this.scroller.resize(this.geometry, columns === before.columns ? topRow * rowHeight : rowNow * rowHeight);
    this.#layerTop = Number.NaN;
    this.#update();
  }

  /** @param {number} columns */
  #reshape(columns) {
    for (const row of this.#rows.values()) this.#retire(row);
    this.#rows.clear();
    for (const row of this.#spare) row.resize(columns, () => this.#makeCell());
  }

  #scrolled() {
    this.#loader.hold(Math.abs(this.scroller.velocity) > Grid.#fling);
    this.#update();
  }

  #rested() {
    this.#loader.hold(false);
    this.#update();
    this.#sortRows();
    this.#offerFocus();
    this.dispatchEvent(new Event('rest'));
  }

  #update() {
    const { first, last } = this.geometry.rowsAt(this.scroller.offset);
    const from = Math.max(0, first - Geometry.overscan);
    const to = Math.min(this.geometry.rows - 1, last + Geometry.overscan);
    this.#recycle(from, to);
    this.#anchor(first);
    for (let number = from; number <= to; number += 1) this.#show(number);
    this.#keepFocusInReach(from, to);
    const slots = this.geometry.slotsAt(this.scroller.offset);
    this.#pages.want(slots.first, slots.last, this.scroller.velocity);
    this.#loader.reorder();
    this.dispatchEvent(new Event('move'));
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #recycle(from, to) {
    for (const [number, row] of this.#rows) {
      const isNeeded = (number >= from && number <= to) || this.#holdsFocus(row, number);
      if (isNeeded) continue;
      this.#rows.delete(number);
      this.#retire(row);
    }
  }

  /**
   * A row that holds the focus stays, wherever it is: focus must not pass to another picture without being moved.
   * @param {Row} row
   * @param {number} number
   */
  #holdsFocus(row, number) {
    return number < this.geometry.rows && row.element.contains(document.activeElement);
  }

  /** @param {Row} row */
  #retire(row) {
    row.unbind();
    this.#spare.push(row);
  }

  /**
   * Rows lie near the top of a layer that lies where they belong, so that their own positions are small numbers.
   * @param {number} first
   */
  #anchor(first) {
    if (Math.abs(first - this.#origin) > 500) this.#origin = first;
    const top = this.geometry.topOf(this.#origin) + this.scroller.shift;
    if (top === this.#layerTop) return;
    this.#layerTop = top;
    this.#layer.style.transform = `translateY(${top}px)`;
  }

  /** @param {number} number */
  #show(number) {
    let row = this.#rows.get(number);
    if (!row) {
      row = this.#spare.pop() ?? this.#makeRow();
      this.#rows.set(number, row);
    }
    row.place((number - this.#origin) * this.geometry.rowHeight);
    row.bind(number, this.total, (index) => this.#pages.imageAt(index));
    for (const cell of row.cells) cell.element.tabIndex = cell.number === this.#active ? 0 : -1;
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #keepFocusInReach(from, to) {
    const { rowHeight } = this.geometry;
    for (const [number, row] of this.#rows) {
      if (number >= from && number <= to) continue;
      const outside = number < from ? from - 2 : to + 2;
      row.place((outside - this.#origin) * rowHeight);
    }
  }

  #makeRow() {
    const row = new Row();
    row.resize(this.geometry.columns, () => this.#makeCell());
    this.#layer.append(row.element);
    return row;
  }

  #makeCell() {
    return new Cell(this.#loader, (index) => this.#rankOf(index));
  }

  /**
   * @param {number} index
   * @returns {import('../loading/slot.js').Rank}
   */
  #rankOf(index) {
    const { offset } = this.scroller;
    const row = this.geometry.rowOf(index);
    const { first, last } = this.geometry.rowsAt(offset);
    return {
      purpose: row >= first && row <= last ? 'visible' : 'prefetch',
      distance: this.geometry.distance(row, offset),
    };
  }

  /** Rows are used again in any order; who listens to the page, or walks through it, should meet them from the top. */
  #sortRows() {
    /** @type {Element | null} */
    let before = null;
    for (const [, row] of [...this.#rows].sort(([one], [other]) => other - one)) {
      const isInPlace = row.element.nextElementSibling === before;
      if (!isInPlace && !row.element.contains(document.activeElement)) this.#layer.insertBefore(row.element, before);
      before = row.element;
    }
  }

  /** Whoever tabs into the grid comes to what is on screen, not to what was left long ago. */
  #offerFocus() {
    const { offset } = this.scroller;
    const row = this.geometry.rowOf(this.#active);
    const isInReach = this.geometry.offsetShowing(row, offset) === offset;
    if (isInReach || this.#element.contains(document.activeElement)) return;
    const whole = Math.ceil(offset / this.geometry.rowHeight) * this.geometry.columns;
    this.#active = clamp(whole, 0, Math.max(0, this.total - 1));
    for (const cell of this.cells()) cell.element.tabIndex = cell.number === this.#active ? 0 : -1;
  }

  /** @param {Event} event */
  #clicked(event) {
    const cell = this.#cellOf(event.target);
    if (cell) this.activate(cell);
  }

  /** @param {Event} event */
  #focused(event) {
    const cell = this.#cellOf(event.target);
    if (!cell || cell.number === this.#active) return;
    this.#active = cell.number;
    for (const other of this.cells()) other.element.tabIndex = other === cell ? 0 : -1;
  }

  /** @param {Cell} cell */
  activate(cell) {
    if (cell.phase === 'failed') cell.retry();
    else this.dispatchEvent(new CustomEvent('open', { detail: cell }));
  }

  /** @param {EventTarget | null} target */
  #cellOf(target) {
    const index = /** @type {HTMLElement | null} */ (target)?.closest?.('.slot')?.getAttribute('data-index');
    return index ? this.cellAt(Number(index)) : undefined;
  }
}
