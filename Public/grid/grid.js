import { undatedFrom } from '../catalog/undated.js';
import { find } from '../page/template.js';
import { isFastByPixels } from '../stream/pace.js';
import { Cell } from './cell.js';
import { dayOf, markOfDayAt } from './days.js';
import { clamp, overscan } from './geometry.js';
import { GeometryMaker } from './geometry-maker.js';
import { HeldPoint } from './held-point.js';
import { anchorsFrom } from './anchors.js';
import { partsOf } from './months.js';
import { RovingFocus } from './roving-focus.js';
import { Rows } from './rows.js';
import { Scroller } from './scroller.js';

/**
 * The gallery as a grid of slots. Only the rows on screen, and a few beyond, are in the document.
 *
 * Events: `move` whenever the slots on screen may have changed, `rest` when scrolling has stopped, `open` (detail: the
 * `Cell`) when the user opens an image, `arranged` when the arrangement has changed.
 */
export class Grid extends EventTarget {
  #element = find('#grid');
  #pages;
  #transport;
  #slotGroup;
  #rows;
  #proportions;
  #maker;
  /** @param {number} index */
  #imageAt = (index) => this.#transport.imageAt(index);
  #focus;
  /** The point that stays in place while the arrangement changes. */
  #held = new HeldPoint();
  /** The place that was navigated to; it counts as the present place until the user scrolls away. */
  #goal = { index: 0, within: 0, offset: -1 };
  /** The slots on screen at the last update. */
  #seen = { first: 0, last: -1 };
  /** Whether the user has scrolled, typed or pointed; until then only the beginning matters. */
  #isInUse = false;

  /**
   * @param {import('../catalog/pages.js').Pages} pages
   * @param {import('../loading/transport.js').Transport} transport
   * @param {import('../loading/slot-group.js').SlotGroup} slotGroup  Of the grid's pictures.
   * @param {import('../catalog/proportions.js').Proportions} proportions
   */
  constructor(pages, transport, slotGroup, proportions) {
    super();
    this.#pages = pages;
    this.#transport = transport;
    this.#slotGroup = slotGroup;
    this.#proportions = proportions;
    const markOfDay = (/** @type {number} */ index) => markOfDayAt(index, this.#imageAt, this.geometry);
    this.#rows = new Rows(() => new Cell(slotGroup, (index) => this.#rankOf(index), markOfDay));
    this.#focus = new RovingFocus(this.#element, this.#rows);
    this.#maker = new GeometryMaker(this.#element, pages);
    this.geometry = this.#maker.make();
    this.scroller = new Scroller(this.#element);
    this.scroller.addEventListener('scroll', () => this.#scrolled());
    this.scroller.addEventListener('rest', () => this.#rested());
    pages.addEventListener('page', () => this.#update());
    transport.addEventListener('capacity', () => this.#wantPages());
    proportions.addEventListener('known', () => this.#known());
    proportions.addEventListener('shape', () => this.#settle());
    pages.addEventListener('order', (event) => this.#reorder(/** @type {CustomEvent} */ (event).detail));
    addEventListener('resize', () => this.lay());
    for (const type of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
      addEventListener(type, () => (this.#isInUse = true), { once: true, passive: true, capture: true });
    }
    this.lay();
    this.#element.addEventListener('focusin', ({ target }) => this.#focused(target));
  }

  get total() {
    return this.geometry.total;
  }

  get active() {
    return this.#focus.active;
  }

  /** The slot at the top of the screen, or the one that was navigated to. */
  get position() {
    if (this.#goal.offset === this.scroller.offset) return this.#goal.index;
    return Math.max(0, this.geometry.slotsAt(this.scroller.offset).first);
  }

  /** @returns {import('../page/address.js').Place} */
  get place() {
    const { offset } = this.scroller;
    if (this.#goal.offset === offset) return { index: this.#goal.index, within: this.#goal.within };
    const index = this.position;
    return { index, within: Math.max(0, offset - this.geometry.startOf(index)) };
  }

  /** The image at the top of the screen, if known. */
  get topImage() {
    return this.#imageAt(this.position)?.id;
  }

  /** The day of the image at the top of the screen, if known and the grid is sorted by day. */
  get topDay() {
    return this.geometry.hasHeadings ? dayOf(this.#imageAt(this.position)) : '';
  }

  get arrangement() {
    return this.#maker.arrangement;
  }

  /**
   * Changes the arrangement. The image at the point stays there.
   * @param {import('./arrangement.js').Arrangement} arrangement
   * @param {{x: number, y: number}} [point]  Of the window; its middle by default.
   */
  arrange(arrangement, point) {
    if (arrangement.equals(this.arrangement)) return;
    const { left, width } = this.#element.getBoundingClientRect();
    const { geometry, scroller } = this;
    const x = point ? point.x - left : width / 2;
    const y = point ? point.y - this.#element.offsetTop : geometry.viewHeight / 2;
    this.#held.hold(geometry, scroller.offset, { x, y });
    const hadFocus = this.#focus.isInside;
    this.#maker.arrangement = arrangement;
    this.#element.dataset.layout = arrangement.kind;
    this.#take(this.#maker.make());
    scroller.resize(this.geometry, this.#held.offsetIn(this.geometry));
    this.#goal.offset = -1;
    this.#update();
    if (hadFocus) this.#focus.restore(this.geometry);
    this.dispatchEvent(new Event('arranged'));
  }

  /**
   * The cell that displays the slot, if one does.
   * @param {number} index
   * @returns {Cell | undefined}
   */
  cellAt(index) {
    return this.#rows.cellAt(this.geometry.rowOf(index), index);
  }

  /**
   * The first slot on screen, and how many before and after it are, or soon will be, in the document.
   * @type {import('../catalog/reordering.js').Span}
   */
  get span() {
    const { first, last } = this.geometry.slotsAt(this.scroller.offset);
    const beyond = (overscan + 1) * this.geometry.layout.inRow;
    return { first: Math.max(0, first), last, before: beyond, after: Math.max(0, last - first) + beyond };
  }

  /** Whether every image on screen is known. */
  get isKnown() {
    for (let at = this.#seen.first; at <= this.#seen.last; at += 1) if (!this.#imageAt(at)) return false;
    return true;
  }

  /**
   * Anchors for the viewport: the images of the top row, then those below, then those above. None while a new visitor
   * is at the beginning, which is what they want to see.
   * @returns {import('../catalog/reordering.js').Anchor[]}
   */
  anchors() {
    const { offset } = this.scroller;
    if (offset === 0 && !this.#isInUse) return [];
    const first = Math.max(0, this.geometry.slotsAt(offset).first);
    return anchorsFrom(first, this.total, this.#imageAt, undatedFrom(this.#pages.months));
  }

  /** The slot in the tab order stays with its image, and the focus with it. */
  get focusFollower() {
    return {
      anchors: () => (this.#focus.isInside ? anchorsFrom(this.#focus.active, this.total, this.#imageAt) : []),
      follow: (/** @type {number} */ index) => this.#focusFollows(index),
    };
  }

  /**
   * Scrolls the slot's row to the top of the screen, or `within` pixels above it.
   * @param {number} index
   * @param {number} [within]  Pixels.
   */
  goTo(index, within = 0) {
    this.#straighten();
    this.#focus.active = clamp(index, 0, Math.max(0, this.total - 1));
    this.#goTo({ index: this.#focus.active, within });
    this.#update();
  }

  /** @param {import('../page/address.js').Place} place */
  #goTo({ index, within }) {
    const offset = clamp(this.geometry.startOf(index) + within, 0, this.geometry.furthest);
    if (offset !== this.scroller.offset) this.scroller.scrollTo(offset);
    this.#goal = { index, within, offset: this.scroller.offset };
  }

  /**
   * Scrolls no further than necessary to have the whole slot on screen.
   * @param {number} index
   */
  reveal(index) {
    const row = this.geometry.rowOf(index);
    const offset = this.geometry.offsetShowing(row, this.scroller.offset);
    if (offset !== this.scroller.offset) this.scroller.scrollTo(offset);
  }

  /** @param {number} index */
  focus(index) {
    const active = clamp(index, 0, Math.max(0, this.total - 1));
    const { first, last } = this.geometry.rowsAt(this.scroller.offset);
    const row = this.geometry.rowOf(active);
    if (row < first - (last - first) || row > last + (last - first)) this.#straighten();
    this.reveal(active);
    this.#focus.await(active);
    this.#update();
  }

  /** Scrolls to the very beginning. */
  goToStart() {
    this.#straighten();
    this.scroller.scrollToStart();
  }

  /** @param {import('./geometry.js').Geometry} geometry */
  #take(geometry) {
    const isOther = !geometry.layout.isLike(this.geometry.layout);
    this.geometry = geometry;
    const { inRow, tileHeight } = geometry.layout;
    this.#element.style.setProperty('--columns', String(inRow));
    this.#element.style.setProperty('--tile', `${Math.round(tileHeight)}px`);
    this.#element.toggleAttribute('data-headings', geometry.hasHeadings);
    if (this.#pages.total !== undefined) this.#element.removeAttribute('aria-busy');
    // Rows of different lengths cannot be counted before they are made.
    const isCounted = !geometry.layout.bent;
    this.#element.setAttribute('aria-rowcount', String(isCounted ? geometry.rows : -1));
    this.#element.setAttribute('aria-colcount', String(isCounted ? geometry.columns : -1));
    if (isOther) this.#rows.reshape(geometry.columns);
  }

  /** Lays the grid out again, keeping the image at the top of the screen. */
  lay() {
    const before = this.geometry;
    const hadFocus = this.#focus.isInside;
    const { offset } = this.scroller;
    const top = before.row(before.rowsAt(offset).first);
    this.#take(this.#maker.makeAgain(before));
    const number = this.geometry.rowOf(top.first);
    const after = (top.title === null ? undefined : this.geometry.headingAbove(number)) ?? this.geometry.row(number);
    this.scroller.resize(this.geometry, Math.round(after.top + ((offset - top.top) / (top.height || 1)) * after.height));
    this.#update();
    if (hadFocus) this.#focus.restore(this.geometry);
  }

  /** More aspect ratios are known now, so images have their places in rows. */
  #known() {
    if (this.#goal.offset === this.scroller.offset) this.#goTo(this.#goal);
    if (this.#focus.awaited >= 0) this.reveal(this.#focus.awaited);
    this.#update();
  }

  /** Lets everything but the viewport return to the layout of a freshly opened gallery, as far as possible. */
  #settle() {
    const { first } = this.geometry.slotsAt(this.scroller.offset);
    this.#move(Math.max(0, first), Math.max(0, first));
  }

  /** @param {import('../catalog/pages.js').Move} move */
  #reorder({ from, to, isOtherView }) {
    // Makes room for the years.
    document.documentElement.toggleAttribute('data-dated', this.#pages.view.order.hasMonths);
    this.#maker.parts = partsOf(this.#pages);
    if (isOtherView) this.#beginAt(to);
    else this.#move(from, to);
  }

  /** @param {number} index */
  #beginAt(index) {
    const hadFocus = this.#focus.isInside;
    this.#take(this.#maker.make());
    this.scroller.resize(this.geometry, 0);
    this.goTo(index);
    if (hadFocus) this.focus(this.active);
  }

  /**
   * Keeps the rows on screen in place, to the pixel, whatever was inserted or removed above.
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    const before = this.geometry;
    const next = this.#maker.makeAround(before, from, to, this.#rows.shown);
    const isAtGoal = this.#goal.offset === this.scroller.offset;
    const isSameShape = next.layout.isLike(before.layout);
    this.#take(next);
    if (isSameShape) {
      const transport = this.#wayOf(from, to, before);
      this.scroller.slide(next, transport);
      this.#rows.move(to - from, next, transport);
    } else {
      this.scroller.resize(next, next.startOf(to));
    }
    if (isAtGoal) Object.assign(this.#goal, { index: this.#goal.index + to - from, offset: this.scroller.offset });
    this.#focus.move(to - from, this.total);
    this.#update();
  }

  /**
   * How far down the gallery the image at `from` has moved. Pixels.
   * @param {number} from
   * @param {number} to
   * @param {import('./geometry.js').Geometry} before
   */
  #wayOf(from, to, before) {
    // At the very beginning the page stays there, whatever heading it has now.
    if (from === 0 && to === 0 && this.scroller.offset === 0) return 0;
    return this.geometry.topOf(this.geometry.rowOf(to)) - before.topOf(before.rowOf(from));
  }

  /** Once the rows on screen have all changed, first rows may be full again. */
  #straighten() {
    if (!this.geometry.isBent) return;
    this.#take(this.#maker.make());
    this.scroller.resize(this.geometry, this.scroller.offset);
  }

  /** @param {number} index */
  #focusFollows(index) {
    this.#focus.active = index;
    this.#rows.moveFocused(index, this.geometry, this.#imageAt);
    this.#update();
    const cell = this.cellAt(index);
    if (cell && cell.element !== document.activeElement) cell.element.focus({ preventScroll: true });
  }

  #scrolled() {
    this.#slotGroup.hold(isFastByPixels(this.scroller.velocity, this.geometry.viewHeight));
    const { first, last } = this.geometry.slotsAt(this.scroller.offset);
    if (last < this.#seen.first || first > this.#seen.last) this.#straighten();
    this.#update();
  }

  #rested() {
    this.#slotGroup.hold(false);
    this.#update();
    for (const cell of this.#rows.cells()) cell.link();
    if (this.geometry.layout.bent && this.geometry.isBent) this.#settle();
    this.#rows.sortSoon();
    this.#focus.bringNear(this.geometry, this.scroller.offset);
    this.dispatchEvent(new Event('rest'));
  }

  #update() {
    const { geometry, scroller } = this;
    const { first, last } = geometry.rowsAround(scroller.offset);
    this.#rows.show(first, last, geometry, scroller.shift, this.#imageAt);
    this.#seen = geometry.slotsAt(scroller.offset);
    this.#focus.follow(geometry);
    this.#proportions.want(this.#seen.first, this.#seen.last, scroller.velocity);
    this.#wantPages();
    this.#slotGroup.reorder();
    this.dispatchEvent(new Event('move'));
  }

  /** Pages of the catalog share the link with images. */
  #wantPages() {
    if (!this.#transport.hasRoomForPages) {
      this.#pages.stopFetching();
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

  /** @param {Cell} cell */
  activate(cell) {
    this.dispatchEvent(new CustomEvent('open', { detail: cell }));
  }

  /** @param {EventTarget | null} target */
  #focused(target) {
    const index = /** @type {HTMLElement | null} */ (target)?.closest?.('.slot')?.getAttribute('data-index');
    if (index && Number(index) !== this.active && this.cellAt(Number(index))) this.#focus.take(Number(index));
  }
}
