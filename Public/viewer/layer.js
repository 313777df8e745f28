import { Slot } from '../loading/slot.js';

/** Images that arrive within this time appear without a fade. Milliseconds. */
const fadeAfter = 90;

/**
 * One layer of a frame in the viewer: the rendition that the stage needs, finer and finer as it arrives, with the
 * original on top. A preview may lie below.
 */
export class Layer extends Slot {
  #frame;
  /** @type {HTMLImageElement | null} */
  element = null;
  /**
   * The displayed picture.
   * @type {import('../loading/cache.js').Picture | null}
   */
  picture = null;
  #name;
  #begunAt = 0;

  /**
   * @param {'preview' | 'screen' | 'original'} name
   * @param {import('../catalog/server.js').Rendition} rendition  The initial one.
   * @param {import('./frame.js').Frame} frame
   */
  constructor(name, rendition, frame) {
    super(rendition);
    this.#name = name;
    this.#frame = frame;
  }

  /** @override */
  get need() {
    return this.#name === 'screen' ? this.#frame.need : null;
  }

  /** @override */
  get takesLess() {
    return this.#name === 'screen' && this.element === null;
  }

  /**
   * @override
   * @param {import('../catalog/server.js').GalleryImage | undefined} image
   */
  rebind(image) {
    const isOtherContent = image?.id === this.image?.id && image?.links.tile !== this.image?.links.tile;
    if (image && isOtherContent) this.#frame.renew(image);
    else if (image?.width && image.width !== this.#frame.image?.width) this.#frame.learn(image);
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
    this.#begunAt = performance.now();
  }

  /** Clears the layer for another image, or none. */
  clear() {
    this.element?.remove();
    this.element = null;
    this.picture = null;
  }

  /**
   * @override
   * @param {HTMLImageElement} element
   */
  showPreview(element) {
    // The grid may display the same element.
    this.#frame.previewCame(/** @type {HTMLImageElement} */ (element.cloneNode()));
  }

  /**
   * @override
   * @param {import('../loading/cache.js').Picture} picture
   * @param {HTMLImageElement} element
   */
  show(picture, element) {
    super.show(picture, element);
    const before = this.element;
    element.className = `frame-${this.#name}`;
    // A refinement is no second arrival.
    const isQuick = performance.now() - this.#begunAt < fadeAfter;
    element.classList.toggle('at-once', isQuick || before !== null);
    this.element = element;
    this.picture = picture;
    this.#frame.layerShown(this);
    before?.remove();
  }

  /** @override */
  finish() {
    this.#frame.layerFinished(this);
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
