import { Slot } from '../loading/slot.js';

/**
 * One rendition of the picture in a frame of the viewer: what the grid has of it beneath, the screen over it, then what is
 * finer, and the original on top.
 */
export class Layer extends Slot {
  #frame;
  /** @type {HTMLImageElement | null} */
  element = null;
  /** What is shown came with the word that the file ends before the picture does. */
  isIncomplete = false;
  #name;

  /**
   * @param {'tile' | 'screen' | 'finer' | 'original'} name
   * @param {import('../catalog/server.js').Rendition} rendition  To begin with.
   * @param {import('./frame.js').Frame} frame
   */
  constructor(name, rendition, frame) {
    super(rendition);
    this.#name = name;
    this.#frame = frame;
  }

  /** @override */
  rank() {
    return this.#frame.rank;
  }

  /**
   * @override
   * @param {number} number
   * @param {import('../catalog/server.js').GalleryImage | null} image
   */
  begin(number, image) {
    super.begin(number, image);
    this.element?.remove();
    this.element = null;
    this.isIncomplete = false;
  }

  /**
   * @override
   * @param {import('../loading/cache.js').Picture} picture
   * @param {HTMLImageElement} element
   */
  show(picture, element) {
    super.show(picture, element);
    element.className = `frame-${this.#name}`;
    this.element = element;
    this.isIncomplete = picture.isIncomplete;
    this.#frame.layerShown(this);
  }

  /**
   * @override
   * @param {import('../catalog/problem.js').Problem} problem
   */
  fail(problem) {
    super.fail(problem);
    this.#frame.layerFailed(this, problem);
  }
}
