import { Slot } from '../loading/slot.js';
import { dropPlaceholder, paintPlaceholder } from '../placeholder/placeholder.js';
import { cloneTemplate, find } from '../page/template.js';

/** A small image of the filmstrip. */
export class Still extends Slot {
  element = /** @type {HTMLButtonElement} */ (cloneTemplate('still-template'));
  index = -1;
  #distanceOf;
  #placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.element));
  /** @type {HTMLImageElement | null} */
  #picture = null;
  #number = '';

  /** @param {(still: Still) => number} distanceOf  From the current image. */
  constructor(distanceOf) {
    super('tile');
    this.#distanceOf = distanceOf;
  }

  /** @override */
  rank() {
    return { purpose: /** @type {const} */ ('visible'), distance: this.#distanceOf(this) };
  }

  /**
   * @param {number} index
   * @param {number} offset  Places to the right of the middle.
   * @param {string} number  As text.
   */
  place(index, offset, number) {
    this.index = index;
    this.#number = number;
    this.element.style.setProperty('--offset', String(offset));
    this.element.tabIndex = offset === 0 ? 0 : -1;
    if (offset === 0) this.element.setAttribute('aria-current', 'true');
    else this.element.removeAttribute('aria-current');
    this.#label();
  }

  /**
   * @override
   * @param {number} number
   * @param {import('../catalog/server.js').GalleryImage | null} image
   */
  begin(number, image) {
    super.begin(number, image);
    this.#picture?.remove();
    this.#picture = null;
    this.element.classList.remove('is-failed');
    if (image) paintPlaceholder(this.#placeholder, image.placeholder);
    else dropPlaceholder(this.#placeholder);
    this.#label();
  }

  /**
   * @override
   * @param {import('../loading/cache.js').Picture} picture
   * @param {HTMLImageElement} element
   */
  show(picture, element) {
    super.show(picture, element);
    element.alt = '';
    this.#picture = element;
    this.element.append(element);
    dropPlaceholder(this.#placeholder);
  }

  /**
   * @override
   * @param {import('../catalog/problem.js').Problem} problem
   */
  fail(problem) {
    super.fail(problem);
    this.element.classList.add('is-failed');
  }

  #label() {
    this.element.setAttribute('aria-label', [this.image?.name, this.#number].filter(Boolean).join(', '));
  }
}
