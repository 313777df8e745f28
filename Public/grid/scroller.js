import { clamp } from './geometry.js';
import { ScrollMap } from './scroll-map.js';

const restAfter = 80;
/** More pixels in one frame than any wheel or finger scrolls: a leap. */
const leap = 2_500;

/**
 * Scrolls a gallery of any height with the page's own scrollbar. Wheel, touch and keys scroll by pixels; the
 * scrollbar's thumb and other leaps scroll in proportion.
 *
 * `offset` is the pixel of the gallery at the top of the screen; `shift` converts an offset in the gallery to one in
 * the scrolled element.
 *
 * Events: `scroll` at most once a frame, `rest` when the scrolling has stopped.
 */
export class Scroller extends EventTarget {
  #element;
  #map = new ScrollMap(0, 0);
  #offset = 0;
  #position = 0;
  /**
   * What scrolls the page now, judging by the last event.
   * @type {'hand' | 'thumb' | 'unknown'}
   */
  #driver = 'unknown';
  /** A finger on the glass still holds the page, which must not be moved then. */
  #isTouched = false;
  #movedAt = 0;
  #velocity = 0;
  /** The page is scrolling: setting its position would end that. */
  #isMoving = false;
  #slid = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting;
  /** The frame in which the scrolling counts as stopped, unless it continues. */
  #restFrame = 0;

  /** @param {HTMLElement} element  As tall as the scrollable height; its top is the gallery's top. */
  constructor(element) {
    super();
    this.#element = element;
    history.scrollRestoration = 'manual';
    addEventListener('scroll', () => this.#moved(), { passive: true });
    // WebKit restores a page from its cache without its scroll position.
    addEventListener('pageshow', ({ persisted }) => persisted && this.#place(this.#offset));
    for (const type of ['wheel', 'touchstart', 'touchmove', 'keydown']) {
      addEventListener(type, () => (this.#driver = 'hand'), { passive: true });
    }
    for (const type of ['touchstart', 'touchend', 'touchcancel']) {
      addEventListener(type, (event) => this.#touched(/** @type {TouchEvent} */ (event)), { passive: true });
    }
    addEventListener('pointerdown', (event) => (this.#driver = isOnScrollbar(event) ? 'thumb' : 'hand'));
  }

  get offset() {
    return this.#offset;
  }

  get shift() {
    return this.#position - this.#offset;
  }

  /** Pixels per millisecond; positive towards the end. */
  get velocity() {
    return this.#velocity;
  }

  /** The share of the gallery that lies above, 0 to 1. */
  get progress() {
    return this.#map.furthestOffset === 0 ? 0 : this.#offset / this.#map.furthestOffset;
  }

  /**
   * @param {import('./geometry.js').Geometry} geometry
   * @param {number} offset  The offset in the new geometry.
   */
  resize(geometry, offset) {
    this.#map = new ScrollMap(geometry.height, geometry.viewHeight);
    this.#element.style.height = `${this.#map.span}px`;
    this.#place(offset);
  }

  /**
   * Adjusts to `by` more pixels of the gallery above the screen, or fewer if it is negative; the viewport stays. A
   * scroll in progress continues: the scrollbar is corrected when it has ended.
   * @param {import('./geometry.js').Geometry} geometry
   * @param {number} by  Pixels.
   */
  slide(geometry, by) {
    const before = this.#offset;
    this.#map = new ScrollMap(geometry.height, geometry.viewHeight);
    this.#element.style.height = `${this.#map.span}px`;
    const offset = clamp(before + by, 0, this.#map.furthestOffset);
    const isOutside = offset !== before + by || this.#position > this.#map.furthestPosition;
    // A scroll may have begun whose event has not fired yet.
    const isScrolling = this.#isMoving || this.#isTouched || Math.abs(scrollY - this.#position) >= 1;
    if (isOutside || !isScrolling) this.#place(offset);
    else this.#offset = offset;
    this.#slid += this.#offset - before;
  }

  /** The sum of all slides: subtracting it from the offset gives a steady value. */
  get slid() {
    return this.#slid;
  }

  /** @param {number} offset */
  scrollTo(offset) {
    this.#driver = 'unknown';
    this.#velocity = 0;
    this.#place(offset);
    this.#announce();
  }

  /**
   * Follows a drag through the whole gallery.
   * @param {number} share  Of the gallery, 0 to 1.
   */
  dragToShare(share) {
    const before = this.#offset;
    this.#place(Math.round(clamp(share, 0, 1) * this.#map.furthestOffset));
    this.#measure(this.#offset - before);
    this.#announce();
  }

  scrollToStart() {
    this.scrollTo(0);
  }

  scrollToEnd() {
    this.scrollTo(this.#map.furthestOffset);
  }

  /**
   * Sets the gallery's offset, and the scrollbar accordingly.
   * @param {number} offset
   */
  #place(offset) {
    this.#offset = clamp(offset, 0, this.#map.furthestOffset);
    this.#position = this.#map.positionOf(this.#offset);
    // Setting the position ends a scroll in progress, even if the position is the same.
    if (Math.abs(scrollY - this.#position) >= 1) scrollTo({ top: this.#position });
    // Browsers round positions to device pixels.
    if (Math.abs(scrollY - this.#position) < 2) this.#position = scrollY;
  }

  #moved() {
    const position = clamp(scrollY, 0, this.#map.furthestPosition);
    const way = position - this.#position;
    if (way === 0) return;
    const before = this.#offset;
    const isAdrift = Math.abs(this.#map.positionOf(before) - this.#position) >= 2;
    this.#position = position;
    if (this.#isLeap(way) || (this.#map.isExact && !isAdrift)) this.#offset = this.#leapTo(position);
    else this.#step(way);
    this.#measure(this.#offset - before);
    this.#announce();
  }

  /** @param {number} way */
  #isLeap(way) {
    if (this.#driver === 'unknown') return Math.abs(way) > leap;
    return this.#driver === 'thumb';
  }

  /**
   * Whole pixels keep images sharp.
   * @param {number} position
   */
  #leapTo(position) {
    const offset = this.#map.offsetOf(position);
    return this.#map.isExact ? offset : Math.round(offset);
  }

  /**
   * The gallery moves by pixels, so the scrollbar drifts from its proper position. It is corrected at rest, or earlier
   * if it would reach its end before or after the gallery does.
   * @param {number} way
   */
  #step(way) {
    const wished = this.#offset + way;
    this.#offset = clamp(wished, 0, this.#map.furthestOffset);
    const belongs = this.#map.positionOf(this.#offset);
    const isStuck = this.#position <= 0 || this.#position >= this.#map.furthestPosition;
    const drift = Math.abs(this.#position - belongs);
    if (wished !== this.#offset || (isStuck && drift > 0) || drift > this.#map.end / 2) this.#place(this.#offset);
  }

  /** @param {TouchEvent} event */
  #touched(event) {
    this.#isTouched = event.touches.length > 0;
    if (!this.#isTouched) this.#restSoon();
  }

  /** @param {number} way */
  #measure(way) {
    const now = performance.now();
    const passed = Math.max(4, now - this.#movedAt);
    this.#movedAt = now;
    const velocity = way / passed;
    this.#velocity = passed > restAfter ? velocity : (this.#velocity + velocity) / 2;
  }

  #announce() {
    this.#restSoon();
    this.dispatchEvent(new Event('scroll'));
  }

  #restSoon() {
    this.#isMoving = true;
    clearTimeout(this.#resting);
    cancelAnimationFrame(this.#restFrame);
    this.#resting = setTimeout(() => this.#restNextFrame(), restAfter);
  }

  /**
   * With slow frames, the event of a further scroll comes at the beginning of the next one. `scrollend` is no help:
   * with a wheel it fires after each notch, in the middle of the movement.
   */
  #restNextFrame() {
    // A hidden page has no frames.
    if (document.hidden) this.#rest();
    else this.#restFrame = requestAnimationFrame(() => this.#rest());
  }

  #rest() {
    this.#isMoving = false;
    this.#velocity = 0;
    if (this.#driver === 'hand') this.#driver = 'unknown';
    const drift = Math.abs(this.#map.positionOf(this.#offset) - this.#position);
    if (drift > 1 && !this.#isTouched) this.#place(this.#offset);
    this.dispatchEvent(new Event('rest'));
  }
}

/** @param {PointerEvent} event */
function isOnScrollbar(event) {
  return event.clientX >= document.documentElement.clientWidth;
}
