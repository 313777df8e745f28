import { linkTo } from '../catalog/links.js';
import { bestStep, pixelsNeeded, pixelsOf, renditionWith, savesData } from '../loading/sizes.js';
import { paintPlaceholder } from '../placeholder/placeholder.js';
import { makeIncompleteMark, withIncompleteness } from '../page/incomplete.js';
import { cloneTemplate, find } from '../page/template.js';
import { Layer } from './layer.js';
import { Zoom } from './zoom.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {'previous' | 'current' | 'next'} Place
 */

/** What browsers show; of other originals (HEIC, TIFF, raw) the server makes something that they do. */
const shownByBrowsers = /^image\/(jpeg|png|gif|webp|avif|svg\+xml|bmp)$/;

/** One picture of the viewer, the one that is looked at or a neighbour that is made ready. */
export class Frame {
  /** An original heavier than this is offered for download, not shown. Bytes. */
  static #heaviest = 80_000_000;

  element = cloneTemplate('frame-template');
  box = find('.frame-box', this.element);
  index = -1;
  /** @type {GalleryImage | null} */
  image = null;
  zoom = new Zoom({ width: 1, height: 1 }, { width: 1, height: 1 }, 1);

  #loader;
  #cache;
  #onIncomplete;
  #mark = makeIncompleteMark();
  #placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.box));
  #notice = find('.frame-problem', this.element);
  #tile = new Layer('tile', 'tile', this);
  #screen = new Layer('screen', 'screen', this);
  #finer = new Layer('finer', '2560', this);
  #original = new Layer('original', 'original', this);
  /** From the coarsest. */
  #layers = [this.#tile, this.#screen, this.#finer, this.#original];
  /** @type {Place} */
  #place = 'current';

  /**
   * @param {import('../loading/loader.js').PictureLoader} loader
   * @param {import('../loading/cache.js').PictureCache} cache
   * @param {(frame: Frame) => void} onIncomplete  Called when it turns out that there is only a part of the picture.
   */
  constructor(loader, cache, onIncomplete) {
    this.#loader = loader;
    this.#cache = cache;
    this.#onIncomplete = onIncomplete;
    this.#mark.hidden = true;
    this.element.append(this.#mark);
    find('button', this.#notice).addEventListener('click', () => this.retry());
  }

  /** @returns {import('../loading/slot.js').Rank} */
  get rank() {
    const isCurrent = this.#place === 'current';
    // Before everything in the grid behind: a distance cannot be less than 0.
    return { purpose: isCurrent ? 'visible' : 'prefetch', distance: isCurrent ? -1 : 0 };
  }

  /** The image with what was learnt of it while it was loaded. */
  get described() {
    return this.image && this.#isIncomplete ? { ...this.image, incomplete: true } : this.image;
  }

  /** What the picture is called, and that it is not all there if it is not. */
  get label() {
    return withIncompleteness(this.image?.name ?? '', this.#isIncomplete);
  }

  /** @param {Place} place */
  set place(place) {
    this.#place = place;
    this.element.dataset.place = place;
    this.element.inert = place !== 'current';
    this.#refine();
  }

  /**
   * @param {number} index
   * @param {GalleryImage} image
   */
  bind(index, image) {
    if (image.id === this.image?.id) {
      this.index = index;
      return;
    }
    this.unbind();
    this.index = index;
    this.image = image;
    this.element.dataset.phase = 'loading';
    paintPlaceholder(this.#placeholder, image.placeholder);
    this.#mark.hidden = !this.#isIncomplete;
    this.fit();
    for (const layer of [this.#tile, this.#screen]) layer.begin(index, image);
    // What the grid shows is shown if it is here anyway; it is not worth a request of its own.
    const held = bestStep('1280', (name) => this.#cache.get(linkTo(image, name)) !== undefined);
    if (held) this.#tile.rendition = held;
    if (held && held !== 'screen') this.#loader.request(this.#tile);
    this.#loader.request(this.#screen);
  }

  unbind() {
    this.index = -1;
    this.image = null;
    this.#notice.hidden = true;
    for (const layer of this.#layers) this.#loader.release(layer);
    this.#placeholder.hidden = true;
    this.#mark.hidden = true;
    delete this.element.dataset.phase;
  }

  retry() {
    this.#notice.hidden = true;
    this.element.dataset.phase = 'loading';
    this.#loader.retry(this.#screen);
  }

  /** Lets the picture fill the stage as far as it is large. */
  fit() {
    const stage = { width: this.element.clientWidth, height: this.element.clientHeight };
    const natural = this.#naturalSize();
    const fill = Math.min(stage.width / natural.width, stage.height / natural.height);
    const scale = natural.isKnown ? Math.min(1, fill) : fill;
    const width = Math.max(1, Math.round(natural.width * scale));
    const height = Math.max(1, Math.round(natural.height * scale));
    this.box.style.width = `${width}px`;
    this.box.style.height = `${height}px`;
    const own = natural.isKnown ? natural.width / devicePixelRatio / width : 1;
    this.zoom = new Zoom(stage, { width, height }, own);
    this.applyZoom();
  }

  applyZoom() {
    this.box.style.transform = this.zoom.transform;
    this.element.classList.toggle('is-zoomed', this.zoom.isIn);
    this.#refine();
  }

  /** Settles once the tile is shown, if it is here to be shown; at once otherwise. */
  async tileShown() {
    for (let frame = 0; frame < 6 && this.#tile.phase === 'decoding'; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** @param {Layer} layer  Called by a layer that has its picture. */
  layerShown(layer) {
    const element = /** @type {HTMLImageElement} */ (layer.element);
    element.alt = layer === this.#tile ? '' : this.label;
    // Layers arrive in any order and lie in the order of their fineness.
    const at = this.#layers.indexOf(layer);
    const above = this.#layers.slice(at + 1).find(({ element: other }) => other?.isConnected);
    // One of them is the picture for who does not see it.
    if (above) element.alt = '';
    for (const below of this.#layers.slice(0, at)) below.element?.setAttribute('alt', '');
    this.box.insertBefore(element, above?.element ?? null);
    if (layer !== this.#tile) this.element.dataset.phase = 'shown';
    if (!this.#isSizeKnown() && !this.zoom.isIn) this.fit();
    this.#refine();
    if (layer === this.#screen && this.#moves()) this.#requestOriginal();
    if (this.#mark.hidden && this.#isIncomplete) {
      this.#mark.hidden = false;
      this.#onIncomplete(this);
    }
  }

  /**
   * @param {Layer} layer
   * @param {import('../catalog/problem.js').Problem} problem
   */
  layerFailed(layer, problem) {
    // All pixels may be too many for the server to make, or for the browser to show.
    if (layer === this.#original) this.#request(this.#finer, '2560');
    if (layer !== this.#screen) return;
    this.element.dataset.phase = 'failed';
    find('.frame-problem-title', this.#notice).textContent = problem.title;
    find('.frame-problem-detail', this.#notice).textContent = problem.detail;
    this.#notice.hidden = false;
  }

  get #isIncomplete() {
    return Boolean(this.image?.incomplete) || this.#layers.some(({ isIncomplete }) => isIncomplete);
  }

  #isSizeKnown() {
    return Boolean(this.image?.width && this.image.height);
  }

  #naturalSize() {
    const { width, height } = this.image ?? {};
    if (width && height) return { width, height, isKnown: true };
    const best = this.#screen.element ?? this.#tile.element ?? this.#placeholder;
    const size = best instanceof HTMLImageElement ? { width: best.naturalWidth, height: best.naturalHeight } : best;
    return { width: size.width || 1, height: size.height || 1, isKnown: false };
  }

  /** When the screen rendition is here and has fewer pixels than are looked at, what has more is asked for. */
  #refine() {
    const screen = this.#screen.element;
    if (!screen || !this.image || this.#original.image === this.image) return;
    const side = Math.max(screen.naturalWidth, screen.naturalHeight);
    const own = Math.max(this.image.width ?? 0, this.image.height ?? 0);
    const isAll = side < pixelsOf('screen') || side === own;
    const { width, height } = this.zoom.box;
    const place = { width: width * this.zoom.scale, height: height * this.zoom.scale };
    const density = savesData() && !this.zoom.isIn ? 1 : devicePixelRatio;
    const needed = pixelsNeeded(place, { fit: 'contain', density, picture: { width, height } });
    if (needed <= side) return;
    // What has all pixels already is only looked at more closely: the file itself is truer than what was made of it.
    const rendition = isAll ? 'original' : renditionWith(needed, this.image);
    if (rendition === '2560') this.#request(this.#finer, rendition);
    else if (this.#place === 'current' && (!isAll || (this.zoom.isIn && this.#isShowable))) this.#requestOriginal();
  }

  /** A still rendition of a picture that moves is only half of it. */
  #moves() {
    return this.#place === 'current' && this.image?.type === 'image/gif';
  }

  /** All pixels: as the source has them where browsers show that, else as the server makes them. */
  #requestOriginal() {
    // A slot has one token: what is less than all and still under way would be cancelled, and come again.
    if (this.#finer.phase !== 'shown') this.#loader.release(this.#finer);
    this.#request(this.#original, this.#isShowable ? 'original' : 'full');
  }

  /** Whether browsers show the file itself. */
  get #isShowable() {
    const { type, bytes = 0 } = this.image ?? {};
    return (!type || shownByBrowsers.test(type)) && bytes <= Frame.#heaviest;
  }

  /**
   * @param {Layer} layer
   * @param {import('../catalog/server.js').Rendition} rendition
   */
  #request(layer, rendition) {
    if (!this.image || layer.image === this.image) return;
    layer.rendition = rendition;
    layer.begin(this.index, this.image);
    this.#loader.request(layer);
  }
}
