import { Slot } from '../loading/slot.js';

/**
 * One rendition of the picture in a frame of the viewer: the preview and what the grid has of it beneath, the screen over
 * them, then what is finer, and the original on top.
 */
export class Layer extends Slot {
  #frame;
  /** @type {HTMLImageElement | null} */
  element = null;
  /**
   * What is shown.
   * @type {import('../loading/cache.js').Picture | null}
   */
  picture = null;
  #name;

  /**
   * @param {'preview' | 'tile' | 'screen' | 'finer' | 'original'} name
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
    this.picture = null;
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
    this.picture = picture;
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
