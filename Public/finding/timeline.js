import { nameOfMonth } from '../grid/months.js';

/** @typedef {{year: string, first: number}} Year  A year in the order, and the slot at which it begins. */

/** The least distance between two years. Pixels. */
const pitch = 20;

/**
 * The years of a gallery sorted by date, beside the grid where there is room. Each stands at its position along the
 * scrollbar. The pointer shows the month there; a click or a drag goes to it. Keyboards and screen readers have the
 * sheet of dates, and `g`.
 */
export class Timeline {
  #grid;
  #pages;
  #element = document.createElement('div');
  #bubble = document.createElement('span');
  #marker = document.createElement('i');
  /** @type {HTMLElement[]} */
  #years = [];
  /** Of the element, in pixels; 0 while it is hidden. Reading it during a scroll would force a layout in each frame. */
  #height = 0;
  #isDue = false;
  /** Whether the years must be placed anew. */
  #isStale = true;
  #isEmpty = true;

  /** @param {{grid: import('../grid/grid.js').Grid, pages: import('../catalog/pages.js').Pages}} parts */
  constructor({ grid, pages }) {
    this.#grid = grid;
    this.#pages = pages;
    this.#element.id = 'timeline';
    this.#element.ariaHidden = 'true';
    this.#bubble.className = 'timeline-month';
    this.#marker.className = 'timeline-place';
    document.body.append(this.#element);
    for (const change of ['arranged', 'rest']) grid.addEventListener(change, () => this.#layOutSoon());
    pages.addEventListener('catalog', () => this.#layOutSoon());
    grid.addEventListener('move', () => this.#followSoon());
    new ResizeObserver(([{ contentRect }]) => {
      this.#height = contentRect.height;
      this.#layOutSoon();
    }).observe(this.#element);
    this.#element.addEventListener('pointermove', (event) => this.#point(event));
    this.#element.addEventListener('pointerdown', (event) => this.#take(event));
    this.#element.addEventListener('pointerleave', () => delete this.#element.dataset.pointed);
  }

  #layOutSoon() {
    this.#isStale = true;
    this.#followSoon();
  }

  #followSoon() {
    if (this.#isDue || (this.#isEmpty && !this.#isStale)) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.#isStale) this.#layOut();
      if (!this.#isEmpty) this.#follow();
    });
  }

  #follow() {
    const top = this.#grid.scroller.progress * (this.#height - pitch) + pitch / 2;
    this.#marker.style.transform = `translateY(${top.toFixed(1)}px)`;
  }

  #layOut() {
    this.#isStale = false;
    const { geometry } = this.#grid;
    const height = this.#height;
    this.#isEmpty = !geometry.hasHeadings || geometry.furthest <= geometry.viewHeight || height === 0;
    this.#element.classList.toggle('is-empty', this.#isEmpty);
    if (this.#isEmpty) return;
    const places = yearsOf(this.#pages.months).map(({ year, first }) => ({
      year, at: Math.min(1, geometry.startOf(first) / geometry.furthest) * (height - pitch),
    }));
    const shown = spaced(places, pitch);
    while (this.#years.length < shown.length) this.#years.push(document.createElement('span'));
    this.#years.length = shown.length;
    shown.forEach(({ year, at }, index) => {
      this.#years[index].textContent = year;
      this.#years[index].style.transform = `translateY(${Math.round(at)}px)`;
    });
    if (this.#element.childElementCount !== shown.length + 2) {
      this.#element.replaceChildren(...this.#years, this.#marker, this.#bubble);
    }
  }

  /**
   * The share of the gallery at the pointer, 0 to 1.
   * @param {PointerEvent} event
   */
  #shareAt({ clientY }) {
    const { top, height } = this.#element.getBoundingClientRect();
    const share = (clientY - top - pitch / 2) / Math.max(1, height - pitch);
    return Math.max(0, Math.min(1, share));
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { geometry } = this.#grid;
    const share = this.#shareAt(event);
    const slot = geometry.landingSlot(share * geometry.furthest);
    this.#bubble.textContent = nameOfMonth(monthAt(this.#pages.months, slot));
    this.#bubble.style.transform = `translateY(${share * (this.#height - pitch)}px)`;
    this.#element.dataset.pointed = '';
    if (this.#element.hasPointerCapture(event.pointerId)) this.#grid.scroller.dragToShare(share);
  }

  /** @param {PointerEvent} event */
  #take(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#element.setPointerCapture(event.pointerId);
    this.#grid.scroller.dragToShare(this.#shareAt(event));
  }
}

/**
 * @param {import('../catalog/server.js').Month[]} months
 * @returns {Year[]}
 */
export function yearsOf(months) {
  /** @type {Year[]} */
  const years = [];
  for (const { month, first } of months) {
    const year = month?.slice(0, 4);
    if (year !== undefined && year !== years.at(-1)?.year) years.push({ year, first });
  }
  return years;
}

/**
 * Leaves out each place that is too close to the last one kept; keeps the first.
 * @template {{at: number}} Place
 * @param {Place[]} places  Sorted.
 * @param {number} least
 * @returns {Place[]}
 */
export function spaced(places, least) {
  let last = -Infinity;
  return places.filter(({ at }) => {
    if (at - last < least) return false;
    last = at;
    return true;
  });
}

/**
 * The month that the slot belongs to.
 * @param {import('../catalog/server.js').Month[]} months
 * @param {number} slot
 */
export function monthAt(months, slot) {
  return months.findLast(({ first }) => first <= slot)?.month ?? null;
}
