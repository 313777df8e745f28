import { Slot } from '../loading/slot.js';

/**
 * One layer of the picture in a frame of the viewer: what the stage needs of it, finer and finer as it comes, and the
 * original on top. Beneath may lie a preview.
 */
export class Layer extends Slot {
  /** What comes faster than this simply appears. Milliseconds. */
  static #fadeAfter = 90;

  #frame;
  /** @type {HTMLImageElement | null} */
  element = null;
  /**
   * What is shown.
   * @type {import('../loading/cache.js').Picture | null}
   */
  picture = null;
  #name;
  #begunAt = 0;

  /**
   * @param {'preview' | 'screen' | 'original'} name
   * @param {import('../catalog/server.js').Rendition} rendition  To begin with.
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

  /** Another picture is to be here, or none. */
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
    // The same may be shown in the grid.
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
    // What only gets finer does not arrive again.
    const isQuick = performance.now() - this.#begunAt < Layer.#fadeAfter;
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
