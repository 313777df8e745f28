import { find } from '../page/template.js';
import { Cell } from './cell.js';
import { Geometry, clamp } from './geometry.js';
import { landmarksFrom } from './landmarks.js';
import { partsOf } from './months.js';
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
  /**
   * Of the order that is shown.
   * @type {import('./sections.js').Part[]}
   */
  #parts = [];
  /** @param {number} index */
  #imageAt = (index) => this.#loader.imageAt(index);
  /** The slot that has, or last had, the keyboard's focus. */
  #active = 0;
  /** The number that was gone to; it is the position for as long as nobody scrolls away from it. */
  #goal = { index: 0, offset: -1 };
  /** The slots that are on screen, as they were shown last. */
  #seen = { first: 0, last: -1 };
  /** Somebody has scrolled, typed or pointed; until then nobody looks at anything but the beginning. */
  #isInUse = false;

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
    pages.addEventListener('order', (event) => this.#reorder(/** @type {CustomEvent} */ (event).detail));
    addEventListener('resize', () => this.lay());
    for (const type of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
      addEventListener(type, () => (this.#isInUse = true), { once: true, passive: true, capture: true });
    }
    this.lay();
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

  /** The picture at the top of the screen, as far as it is known. */
  get topImage() {
    return this.#imageAt(this.position)?.id;
  }

  /** @param {number} side  The side that a slot should have if it can, in pixels. */
  set preferredTile(side) {
    if (side === this.#preferredTile) return;
    this.#preferredTile = side;
    this.lay();
  }

  /**
   * The cell that shows the slot now, if one does.
   * @param {number} index
   * @returns {Cell | undefined}
   */
  cellAt(index) {
    return this.#rows.cellAt(this.geometry.rowOf(index), this.geometry.columnOf(index));
  }

  /**
   * The first slot on screen, and how many before and after it are in the document or soon will be.
   * @type {import('../catalog/reordering.js').Span}
   */
  get span() {
    const { columns } = this.geometry;
    const { first, last } = this.geometry.slotsAt(this.scroller.offset);
    const beyond = (Geometry.overscan + 1) * columns;
    return { first: Math.max(0, first), last, before: beyond, after: Math.max(0, last - first) + beyond };
  }

  /** Whether it is known of everything on screen what it is. */
  get isKnown() {
    for (let at = this.#seen.first; at <= this.#seen.last; at += 1) if (!this.#imageAt(at)) return false;
    return true;
  }

  /**
   * The pictures by which what is on screen is known again in another order: the top row's, those below it, those above.
   * None while somebody has only just come, to the beginning: the beginning is what they want to see.
   * @returns {import('../catalog/reordering.js').Landmark[]}
   */
  landmarks() {
    const { offset } = this.scroller;
    if (offset === 0 && !this.#isInUse) return [];
    return this.#landmarksFrom(Math.max(0, this.geometry.slotsAt(offset).first));
  }

  /** The slot that can be tabbed to stays with its picture, and the focus with it. */
  get focusFollower() {
    return {
      landmarks: () => (this.#hasFocus() ? this.#landmarksFrom(this.#active) : []),
      follow: (/** @type {number} */ index) => this.#focusFollows(index),
    };
  }

  /**
   * Puts the slot's row at the top of the screen.
   * @param {number} index
   */
  goTo(index) {
    this.#straighten();
    const goal = clamp(index, 0, Math.max(0, this.total - 1));
    this.#active = goal;
    this.scroller.scrollTo(this.geometry.startOf(goal));
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
    const { first, last } = this.geometry.rowsAt(this.scroller.offset);
    const row = this.geometry.rowOf(this.#active);
    if (row < first - (last - first) || row > last + (last - first)) this.#straighten();
    this.reveal(this.#active);
    this.#update();
    this.cellAt(this.#active)?.element.focus({ preventScroll: true });
  }

  /** To the very beginning. */
  goToStart() {
    this.#straighten();
    this.scroller.scrollToStart();
  }

  /** @param {{leads?: Map<string, number>, pinned?: {slot: number, column: number}}} [kept]  As of a geometry. */
  #measure(kept) {
    const style = getComputedStyle(this.#element);
    return new Geometry({
      width: this.#element.clientWidth,
      height: Math.max(1, innerHeight - this.#element.offsetTop),
      parts: this.#parts,
      tile: this.#preferredTile,
      gap: Number.parseFloat(style.getPropertyValue('--gap')) || 4,
      heading: Number.parseFloat(style.getPropertyValue('--heading')) || 48,
      ...kept,
    });
  }

  /** @param {Geometry} geometry */
  #take(geometry) {
    const isReshaped = geometry.columns !== this.geometry.columns;
    this.geometry = geometry;
    this.#element.style.setProperty('--columns', String(geometry.columns));
    this.#element.style.setProperty('--tile', `${geometry.tile}px`);
    this.#element.toggleAttribute('data-headings', geometry.hasHeadings);
    if (this.#pages.total !== undefined) this.#element.removeAttribute('aria-busy');
    this.#element.setAttribute('aria-rowcount', String(geometry.rows));
    this.#element.setAttribute('aria-colcount', String(geometry.columns));
    if (isReshaped) this.#rows.reshape(geometry.columns);
  }

  /** Lays the grid out anew, and keeps at the top of the screen what is there. */
  lay() {
    const before = this.geometry;
    const { offset } = this.scroller;
    const top = before.row(before.rowsAt(offset).first);
    const isSameShape = this.#measure().columns === before.columns;
    this.#take(this.#measure(isSameShape ? { leads: before.leads } : undefined));
    const number = this.geometry.rowOf(top.first) - (top.title === null ? 0 : 1);
    const after = this.geometry.row(number);
    this.scroller.resize(this.geometry, after.top + ((offset - top.top) / top.height) * after.height);
    this.#update();
  }

  /** @param {import('../catalog/pages.js').Move} move */
  #reorder({ from, to, isOtherView }) {
    this.#parts = partsOf(this.#pages);
    if (isOtherView) this.#beginAt(to);
    else this.#move(from, to);
  }

  /** @param {number} index */
  #beginAt(index) {
    const hadFocus = this.#hasFocus();
    this.#take(this.#measure());
    this.scroller.resize(this.geometry, 0);
    this.goTo(index);
    if (hadFocus) this.focus(this.#active);
  }

  /**
   * What is on screen stays where it is, to the pixel: whole rows and headings are put in above it or taken out, and a
   * number that does not fill a row is made up for by the empty places before the first slot of its part.
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    const before = this.geometry;
    const next = this.#measure({ leads: before.leads, pinned: { slot: to, column: before.columnOf(from) } });
    const isAtGoal = this.#goal.offset === this.scroller.offset;
    const isSameShape = next.columns === before.columns && next.tile === before.tile;
    this.#take(next);
    if (isSameShape) {
      const way = this.#wayOf(from, to, before);
      this.scroller.slide(next, way);
      this.#rows.move(next.rowOf(to) - before.rowOf(from), way);
    } else {
      this.scroller.resize(next, next.startOf(to));
    }
    if (isAtGoal) this.#goal = { index: this.#goal.index + to - from, offset: this.scroller.offset };
    this.#active = clamp(this.#active + to - from, 0, Math.max(0, this.total - 1));
    this.#update();
  }

  /**
   * How far down the gallery what stood at `from` has moved.
   * @param {number} from
   * @param {number} to
   * @param {Geometry} before
   */
  #wayOf(from, to, before) {
    // Who is at the very beginning stays there, whatever heading it has now.
    if (from === 0 && to === 0 && this.scroller.offset === 0) return 0;
    return this.geometry.topOf(this.geometry.rowOf(to)) - before.topOf(before.rowOf(from));
  }

  /** Where nothing that is on screen will be on it any more, first rows may be full ones again. */
  #straighten() {
    if (this.geometry.leads.size === 0) return;
    this.#take(this.#measure());
    this.scroller.resize(this.geometry, this.scroller.offset);
  }

  #hasFocus() {
    return this.#element.contains(document.activeElement);
  }

  /** @param {number} index */
  #focusFollows(index) {
    this.#active = index;
    this.#rows.moveFocused(index, this.geometry, this.#imageAt);
    this.#update();
    const cell = this.cellAt(index);
    if (cell && cell.element !== document.activeElement) cell.element.focus({ preventScroll: true });
  }

  /** @param {number} index */
  #landmarksFrom(index) {
    return landmarksFrom(index, this.total, this.#imageAt);
  }

  #scrolled() {
    this.#loader.hold(Math.abs(this.scroller.velocity) > Grid.#fling);
    const { first, last } = this.geometry.slotsAt(this.scroller.offset);
    if (last < this.#seen.first || first > this.#seen.last) this.#straighten();
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
    const { first, last } = geometry.rowsAround(scroller.offset);
    this.#rows.show(first, last, geometry, scroller.shift, this.#imageAt);
    this.#seen = geometry.slotsAt(scroller.offset);
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
    const { first, last } = this.#seen;
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
    if (isInReach || this.#hasFocus()) return;
    this.#active = this.geometry.firstWholeSlot(offset);
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
