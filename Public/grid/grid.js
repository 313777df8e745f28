import { find } from '../page/template.js';
import { Cell } from './cell.js';
import { Geometry, clamp } from './geometry.js';
import { Rows } from './rows.js';
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
  #pages;
  #loader;
  #rows;
  #preferredTile = 180;
  /** @param {number} index */
  #imageAt = (index) => this.#loader.imageAt(index);
  /** The slot that has, or last had, the keyboard's focus. */
  #active = 0;
  /** The number that was gone to; it is the position for as long as nobody scrolls away from it. */
  #goal = { index: 0, offset: -1 };

  /**
   * @param {import('../catalog/pages.js').Pages} pages
   * @param {import('../loading/way.js').Way} loader
   */
  constructor(pages, loader) {
    super();
    this.#pages = pages;
    this.#loader = loader;
    this.#rows = new Rows(() => new Cell(loader, (index) => this.#rankOf(index)));
    this.geometry = this.#measure();
    this.scroller = new Scroller(this.#element);
    this.scroller.addEventListener('scroll', () => this.#scrolled());
    this.scroller.addEventListener('rest', () => this.#rested());
    pages.addEventListener('page', () => this.#update());
    loader.addEventListener('room', () => this.#wantPages());
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
    return this.#rows.cellAt(this.geometry.rowOf(index), index % this.geometry.columns);
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
    if (columns !== before.columns) this.#rows.reshape(columns);
    const topRow = offset / before.rowHeight;
    const rowNow = Math.floor(Math.floor(topRow) * before.columns / columns) + (topRow % 1);
    this.scroller.resize(this.geometry, columns === before.columns ? topRow * rowHeight : rowNow * rowHeight);
    this.#update();
  }

  #scrolled() {
    this.#loader.hold(Math.abs(this.scroller.velocity) > Grid.#fling);
    this.#update();
  }

  #rested() {
    this.#loader.hold(false);
    this.#update();
    this.#rows.sort();
    this.#bringFocusNear();
    this.dispatchEvent(new Event('rest'));
  }

  #update() {
    const { geometry, scroller } = this;
    const { first, last } = geometry.rowsAt(scroller.offset);
    const from = Math.max(0, first - Geometry.overscan);
    const to = Math.min(geometry.rows - 1, last + Geometry.overscan);
    this.#rows.show(from, to, geometry, scroller.shift, this.#imageAt);
    this.#offerFocus();
    this.#wantPages();
    this.#loader.reorder();
    this.dispatchEvent(new Event('move'));
  }

  /** The pages of the catalog share the link with the pictures. */
  #wantPages() {
    if (!this.#loader.hasRoomForPages) {
      this.#pages.rest();
      return;
    }
    const { first, last } = this.geometry.slotsAt(this.scroller.offset);
    this.#pages.want(first, last, this.scroller.velocity);
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

  /** Exactly one slot can be tabbed to: the one that has the focus, or last had it. */
  #offerFocus() {
    for (const cell of this.#rows.cells()) cell.tabStop = cell.number === this.#active;
  }

  /** Whoever tabs into the grid comes to what is on screen, not to what was left long ago. */
  #bringFocusNear() {
    const { offset } = this.scroller;
    const row = this.geometry.rowOf(this.#active);
    const isInReach = this.geometry.offsetShowing(row, offset) === offset;
    if (isInReach || this.#element.contains(document.activeElement)) return;
    const whole = Math.ceil(offset / this.geometry.rowHeight) * this.geometry.columns;
    this.#active = clamp(whole, 0, Math.max(0, this.total - 1));
    this.#offerFocus();
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
    this.#offerFocus();
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
