import { Slot } from '../loading/slot.js';
import { dayIn, nameOf } from '../catalog/naming.js';
import { Address } from '../page/address.js';
import { dropPlaceholder, paintPlaceholderSoon } from '../placeholder/placeholder.js';
import { makeIncompleteMark, withIncompleteness } from '../page/incomplete.js';
import { formatNumber } from '../page/numbers.js';
import { cloneTemplate, find } from '../page/template.js';
import { markFitting } from './days.js';
import { fills, shapeOfWhole } from './fit.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 */

/** Images that arrive within this time appear without a fade, which would only delay them. Milliseconds. */
const fadeAfter = 90;

/**
 * A slot of the grid on screen. Its element is reused for slot after slot.
 *
 * The image is a link to its page in the viewer, for the pointer and the browser's own menus. For the keyboard and
 * assistive technology the slot itself is the image: it has the focus and the name, and Enter opens it. So the link is
 * out of the tab order and of the accessibility tree, where it would be a second stop with the same name.
 */
export class Cell extends Slot {
  #loader;
  #rankOf;
  #markOfDayAt;
  /** The mark of a day that starts here. */
  #day = '';
  /** @type {HTMLAnchorElement} */
  #link;
  #placeholder;
  #begunAt = 0;
  #isTabStop = false;
  /** The cell's position in its row, and its size. */
  #left = Number.NaN;
  #box = { width: 0, height: 0 };
  /** @type {HTMLImageElement | null} */
  #picture = null;
  /** @type {HTMLImageElement | null} */
  #preview = null;
  /** The displayed image was marked as incomplete when it arrived. */
  #isPicturePart = false;
  /** @type {HTMLElement | null} */
  #mark = null;
  /** @type {HTMLElement | null} */
  #notice = null;
  /**
   * The notice that the image's origin is slow.
   * @type {HTMLElement | null}
   */
  #patience = null;
  /**
   * Why the slot has no image; null unless loading failed.
   * @type {import('../catalog/problem.js').Problem | null}
   */
  problem = null;

  /**
   * @param {import('../loading/slot-group.js').SlotGroup} loader
   * @param {(number: number) => import('../loading/slot.js').Rank} rankOf
   * @param {(number: number) => string} markOfDayAt  The mark of the day that starts at a slot; empty if none does.
   */
  constructor(loader, rankOf, markOfDayAt) {
    super('tile');
    this.#loader = loader;
    this.#rankOf = rankOf;
    this.#markOfDayAt = markOfDayAt;
    this.element = cloneTemplate('slot-template');
    this.#link = find('a', this.element);
    this.#placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.#link));
  }

  /** @override */
  get need() {
    return this.#loader.need;
  }

  /** @override */
  rank() {
    return this.#rankOf(this.number);
  }

  /**
   * Positions the cell in its row. All in pixels.
   * @param {number} left
   * @param {number} width
   * @param {number} height
   */
  lay(left, width, height) {
    const { style } = this.element;
    if (left !== this.#left) style.left = `${left}px`;
    this.#left = left;
    if (width === this.#box.width && height === this.#box.height) return;
    this.#box = { width, height };
    style.width = `${width}px`;
    style.height = `${height}px`;
    for (const shown of [this.#picture, this.#preview]) if (shown) this.#fit(shown);
  }

  /** @param {HTMLImageElement} shown */
  #fit(shown) {
    const isWhole = !fills(shown, this.#box);
    shown.classList.toggle('is-whole', isWhole);
    if (isWhole) shown.style.setProperty('--whole', shapeOfWhole(shown, this.#box));
  }

  /**
   * Assigns a slot to the cell. It keeps what it already has of that slot.
   * @param {number} number
   * @param {GalleryImage | undefined} image  Undefined while the slot's page is missing.
   */
  bind(number, image) {
    this.#markDay(this.#markOfDayAt(number));
    if (number !== this.number && image && image.id === this.image?.id) this.renumber(number);
    const isSameSlot = number === this.number;
    const isSamePicture = isSameSlot && image?.id === this.image?.id;
    if (isSamePicture && image?.links.tile === this.image?.links.tile) {
      if (image && image !== this.image) this.#describe(image);
      return;
    }
    this.#loader.release(this);
    // An image with a newer version stays until the new one has loaded.
    if (!isSamePicture) this.#clear();
    this.begin(number, image ?? null);
    this.#begunAt = performance.now();
    this.element.dataset.index = String(number);
    this.element.dataset.phase = 'waiting';
    if (image) this.#describe(image);
    this.#markAndLabel();
    this.#loader.request(this);
  }

  /**
   * The image has another position in the order now; nothing else changes.
   * @param {number} number
   */
  renumber(number) {
    if (number === this.number) return;
    this.#loader.renumber(this, number);
    this.element.dataset.index = String(number);
    this.#markAndLabel();
  }

  /**
   * @override
   * @param {GalleryImage | undefined} image
   */
  rebind(image) {
    this.bind(this.number, image);
  }

  /** Gives the link its address. */
  link() {
    if (!this.image) return;
    const address = Address.ofImage(this.image.id);
    if (this.#link.getAttribute('href') !== address) this.#link.href = address;
  }

  /** @param {boolean} isOne  Whether it is the slot in the tab order. */
  set tabStop(isOne) {
    if (isOne === this.#isTabStop) return;
    this.#isTabStop = isOne;
    this.element.tabIndex = isOne ? 0 : -1;
  }

  /** The cell leaves the screen and may be reused. */
  unbind() {
    this.#loader.release(this);
    this.#clear();
    this.element.removeAttribute('data-index');
    this.element.removeAttribute('data-phase');
    this.#markDay('');
    this.tabStop = false;
  }

  retry() {
    if (this.phase !== 'failed') return;
    this.#removeNotice();
    this.#markAndLabel();
    this.element.dataset.phase = 'waiting';
    this.#loader.retry(this);
  }

  /**
   * @override
   * @param {boolean} isWaiting
   */
  waitForOrigin(isWaiting) {
    const isSaid = isWaiting && this.phase !== 'displayed' && this.phase !== 'failed';
    if (isSaid === (this.#patience !== null)) return;
    if (isSaid) {
      this.#patience = cloneTemplate('slot-waiting-template');
      this.element.append(this.#patience);
    } else {
      this.#patience?.remove();
      this.#patience = null;
    }
    this.#markAndLabel();
  }

  /**
   * @override
   * @param {HTMLImageElement} element
   */
  showPreview(element) {
    // The image of another version is better than the preview of this one.
    if (this.#picture) return;
    this.#removeNotice();
    this.#removePreview();
    element.alt = this.#text;
    this.#fit(element);
    this.#preview = element;
    this.#placeholder.after(element);
    dropPlaceholder(this.#placeholder);
    this.element.dataset.phase = 'preview';
    this.#markIfNew();
  }

  /**
   * @override
   * @param {import('../loading/cache.js').Picture} picture
   * @param {HTMLImageElement} element
   */
  show(picture, element) {
    super.show(picture, element);
    this.waitForOrigin(false);
    element.className = 'slot-picture';
    this.#fit(element);
    this.#isPicturePart = picture.isIncomplete;
    const isQuick = performance.now() - this.#begunAt < fadeAfter;
    // Over its preview an image only becomes sharper; forty fades after each stop would cost more than they show.
    const isAtOnce = isQuick || this.#picture !== null || this.element.dataset.phase === 'preview';
    this.#picture?.remove();
    this.#removeNotice();
    this.#placeholder.after(element);
    this.#removePreview();
    this.#picture = element;
    if (isAtOnce) this.#hasArrived(element);
    else element.addEventListener('animationend', () => this.#hasArrived(element), { once: true });
    element.alt = this.#text;
    this.element.dataset.phase = 'displayed';
    this.#markIfNew();
  }

  /**
   * An image arrives once, however often its row is moved.
   * @param {HTMLImageElement} element
   */
  #hasArrived(element) {
    element.classList.add('at-once');
    // A partly transparent image should not have its own blur behind it.
    if (element === this.#picture) dropPlaceholder(this.#placeholder);
  }

  /**
   * @override
   * @param {import('../catalog/problem.js').Problem} problem
   */
  fail(problem) {
    super.fail(problem);
    this.waitForOrigin(false);
    this.#removeNotice();
    this.problem = problem;
    this.#notice = cloneTemplate('slot-problem-template');
    // The notice lets the pointer through to the link.
    this.#link.title = problem.message;
    find('.slot-problem-reason', this.#notice).textContent = problem.message;
    find('button', this.#notice).hidden = problem.isOfFile;
    this.element.append(this.#notice);
    this.element.dataset.phase = 'failed';
    this.#markAndLabel();
  }

  /** The displayed image, for the viewer to grow from. */
  get picture() {
    return this.#picture;
  }

  /** @param {GalleryImage} image */
  #describe(image) {
    const { image: before } = this;
    const isOtherName =
      image.name !== before?.name || image.title !== before.title || image.takenAt !== before.takenAt;
    this.image = image;
    // In a fast scroll nobody can follow the link, and each new address makes the browser recompute styles.
    if (!this.#loader.isHeld) this.link();
    if (this.element.dataset.phase === 'waiting') paintPlaceholderSoon(this.#placeholder, image.placeholder);
    if (isOtherName) this.#markAndLabel();
    else this.#markIfNew();
  }

  /** Whether only a part of the image exists, as far as is known. */
  get #isIncomplete() {
    return !this.problem && (this.#isPicturePart || Boolean(this.image?.incomplete));
  }

  /** The text alternative. */
  get #text() {
    return withIncompleteness(this.image ? nameOf(this.image) : '', this.#isIncomplete);
  }

  #markIfNew() {
    if (this.#isIncomplete !== (this.#mark !== null)) this.#markAndLabel();
  }

  #markAndLabel() {
    this.#putMark();
    const number = `picture ${formatNumber(this.number + 1)}`;
    const name = this.image ? [nameOf(this.image), number, dayIn(this.image)].filter(Boolean).join(', ') : number;
    const label = withIncompleteness(name, this.#isIncomplete);
    const reason = this.problem ? `. Cannot be shown: ${this.problem.message}` : '';
    const patience = this.#patience ? '. Waiting for remote server' : '';
    this.element.setAttribute('aria-label', label + patience + reason);
  }

  #putMark() {
    if (this.#isIncomplete === (this.#mark !== null)) return;
    this.#mark?.remove();
    this.#mark = this.#isIncomplete ? makeIncompleteMark() : null;
    if (this.#mark) this.element.append(this.#mark);
    for (const element of [this.#picture, this.#preview]) {
      if (element?.parentNode === this.#link) element.alt = this.#text;
    }
  }

  /**
   * Marks the first image of each day; assistive technology has the headings.
   * @param {string} mark
   */
  #markDay(mark) {
    mark = markFitting(mark, this.#box.width);
    if (mark === this.#day) return;
    this.#day = mark;
    if (mark) this.element.dataset.day = mark;
    else this.element.removeAttribute('data-day');
  }

  #clear() {
    this.#picture?.remove();
    this.#picture = null;
    this.#patience?.remove();
    this.#patience = null;
    this.#isPicturePart = false;
    this.#mark?.remove();
    this.#mark = null;
    this.#removePreview();
    this.#removeNotice();
    if (this.#link.hasAttribute('href')) this.#link.removeAttribute('href');
    dropPlaceholder(this.#placeholder);
  }

  /** Removes the preview, unless it has moved on to the cell that now has its slot. */
  #removePreview() {
    if (this.#preview?.parentNode === this.#link) this.#preview.remove();
    this.#preview = null;
  }

  #removeNotice() {
    if (this.#notice) this.#link.removeAttribute('title');
    this.#notice?.remove();
    this.#notice = null;
    this.problem = null;
  }
}
