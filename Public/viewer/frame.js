import { linkTo } from '../catalog/links.js';
import { bestStep, pixelsNeeded, pixelsOf, renditionWith, savesData } from '../loading/sizes.js';
import { paintPlaceholder } from '../placeholder/placeholder.js';
import { makeIncompleteMark, withIncompleteness } from '../page/incomplete.js';
import { cloneTemplate, find } from '../page/template.js';
import { Layer } from './layer.js';
import { Notice } from './notice.js';
import { Zoom } from './zoom.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {'previous' | 'current' | 'next' | 'ahead'} Place  `ahead`: beyond the neighbour, and out of sight.
 */

/** What browsers show; of other originals (HEIC, TIFF, raw) the server makes something that they do. */
const shownByBrowsers = /^image\/(jpeg|png|apng|gif|webp|avif|avif-sequence|svg\+xml|bmp)$/;
/** Of these, what may have several frames that are shown one after the other, and not pages. */
const playedByBrowsers = /^image\/(png|apng|gif|webp|avif|avif-sequence)$/;
/** The server could not make a picture of the file; a browser's decoders are others. */
const undecodable = [415, 422];

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** One picture of the viewer, the one that is looked at or a neighbour that is made ready. */
export class Frame {
  /** An original heavier than this is offered for download, not shown. Bytes. */
  static #heaviest = 80_000_000;

  element = cloneTemplate('frame-template');
  box = find('.frame-box', this.element);
  index = -1;
  /**
   * With what was learnt of it since it was bound.
   * @type {GalleryImage | null}
   */
  image = null;
  zoom = new Zoom({ width: 1, height: 1 }, { width: 1, height: 1 }, 1);
  /**
   * Why there is no picture, or not all of it.
   * @type {Problem | null}
   */
  problem = null;

  #loader;
  #cache;
  #onChange;
  #mark = makeIncompleteMark();
  #placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.box));
  #notice;
  #play = find('.frame-play', this.element);
  #preview = new Layer('preview', 'preview', this);
  #tile = new Layer('tile', 'tile', this);
  #screen = new Layer('screen', 'screen', this);
  #finer = new Layer('finer', '2560', this);
  #original = new Layer('original', 'original', this);
  /** In the order of their fineness, as they lie on each other. */
  #layers = [this.#preview, this.#tile, this.#screen, this.#finer, this.#original];
  /** @type {Place} */
  #place = 'current';
  /** How many others are more urgent. */
  #distance = 0;

  /**
   * @param {import('../loading/loader.js').PictureLoader} loader
   * @param {import('../loading/cache.js').PictureCache} cache
   * @param {(frame: Frame) => void} onChange  Called when the picture is shown, cannot be, or is known better.
   */
  constructor(loader, cache, onChange) {
    this.#loader = loader;
    this.#cache = cache;
    this.#onChange = onChange;
    this.#notice = new Notice(this.element, () => this.retry());
    this.#mark.hidden = true;
    this.element.append(this.#mark);
    this.#play.addEventListener('click', () => this.#requestOriginal());
  }

  /** @returns {import('../loading/slot.js').Rank} */
  get rank() {
    const isCurrent = this.#place === 'current';
    // Before everything in the grid behind: a distance cannot be less than 0.
    return { purpose: isCurrent ? 'visible' : 'prefetch', distance: isCurrent ? -1 : this.#distance };
  }

  /** Everything that is known of the image. */
  get described() {
    return this.image && { ...this.image, incomplete: this.#isIncomplete || undefined, problem: this.problem };
  }

  /** What the picture is called, and that it is not all there if it is not. */
  get label() {
    return withIncompleteness(this.image?.name ?? '', this.#isIncomplete);
  }

  /** Whether there is something to look at, or nothing more to wait for. */
  get isReady() {
    return this.element.dataset.phase === 'shown' || this.element.dataset.phase === 'failed';
  }

  /** The bytes of what is shown; null while there is no more than a tile. */
  get blob() {
    return this.#screen.picture?.blob ?? this.#original.picture?.blob ?? null;
  }

  /**
   * @param {Place} place
   * @param {number} distance  How many others are more urgent.
   */
  put(place, distance) {
    this.#place = place;
    this.#distance = distance;
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
    // What the grid shows is shown if it is here anyway; it is not worth a request of its own.
    const held = bestStep('1280', (name) => this.#cache.get(linkTo(image, name)) !== undefined);
    if (held && held !== 'screen') this.#request(this.#tile, held);
    this.#request(this.#screen, 'screen');
  }

  unbind() {
    this.index = -1;
    this.image = null;
    this.problem = null;
    this.#notice.hide();
    for (const layer of this.#layers) this.#loader.release(layer);
    this.#placeholder.hidden = true;
    this.#mark.hidden = true;
    this.#play.hidden = true;
    delete this.element.dataset.phase;
    delete this.element.dataset.part;
  }

  retry() {
    this.problem = null;
    this.#notice.hide();
    this.element.dataset.phase = 'loading';
    this.#loader.retry(this.#screen);
    this.#onChange(this);
  }

  /** @param {GalleryImage} image  The same image, known better. */
  learn(image) {
    if (image.id !== this.image?.id) return;
    const { width, height } = this.image;
    this.image = { ...this.image, ...image };
    // Who has zoomed in already keeps what they look at.
    if ((image.width !== width || image.height !== height) && !this.zoom.isIn) this.fit();
    this.#refine();
  }

  /** Lets the picture fill the stage as far as it is large. */
  fit() {
    const stage = { width: this.element.clientWidth, height: this.element.clientHeight };
    const natural = this.#naturalSize();
    const fill = Math.min(stage.width / natural.width, stage.height / natural.height);
    const scale = natural.isLeast ? fill : Math.min(1, fill);
    const width = Math.max(1, Math.round(natural.width * scale));
    const height = Math.max(1, Math.round(natural.height * scale));
    this.box.style.width = `${width}px`;
    this.box.style.height = `${height}px`;
    this.zoom = new Zoom(stage, { width, height }, natural.isLeast ? 1 : natural.width / devicePixelRatio / width);
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
    element.alt = layer === this.#tile || layer === this.#preview ? '' : this.label;
    // Layers arrive in any order and lie in the order of their fineness.
    const at = this.#layers.indexOf(layer);
    const above = this.#layers.slice(at + 1).find(({ element: other }) => other?.isConnected);
    // One of them is the picture for who does not see it.
    if (above) element.alt = '';
    for (const below of this.#layers.slice(0, at)) below.element?.setAttribute('alt', '');
    this.box.insertBefore(element, above?.element ?? null);
    if (this.problem) this.#showPart(layer);
    else if (layer === this.#screen || layer === this.#original) this.#showWhole();
    if (!this.#isSizeKnown() && !this.zoom.isIn) this.fit();
    this.#mark.hidden = !this.#isIncomplete;
    this.#refine();
    if (layer !== this.#tile) this.#onChange(this);
  }

  /**
   * @param {Layer} layer
   * @param {Problem} problem
   */
  layerFailed(layer, problem) {
    // All pixels may be too many for the server to make, or for the browser to show.
    if (layer === this.#original) this.#request(this.#finer, '2560');
    if (layer !== this.#screen) return;
    this.problem = problem;
    this.element.dataset.phase = 'failed';
    this.#notice.show(problem, this.image);
    // What there is of it: a camera's small picture, and what the browser makes of the file.
    if (undecodable.includes(problem.status)) {
      this.#request(this.#preview, 'preview');
      if (this.#isShowable) this.#requestOriginal();
    }
    this.#onChange(this);
  }

  /**
   * There is something to look at although the server could not make a picture of the file.
   * @param {Layer} layer
   */
  #showPart(layer) {
    this.element.dataset.part = '';
    // What the server does not know and the browser does is no damage.
    if (layer !== this.#original || this.problem?.status !== 415) return;
    this.problem = null;
    this.#notice.hide();
    this.#showWhole();
  }

  #showWhole() {
    this.element.dataset.phase = 'shown';
    delete this.element.dataset.part;
  }

  get #isIncomplete() {
    return Boolean(this.image?.incomplete) || this.#layers.some(({ picture }) => picture?.isIncomplete);
  }

  #isSizeKnown() {
    return Boolean(this.image?.width && this.image.height);
  }

  /** The picture's size as far as it is known; `isLeast`: it may be larger than what is here of it. */
  #naturalSize() {
    const { width, height } = this.image ?? {};
    if (width && height) return { width, height, isLeast: false };
    const fine = this.#original.element ?? this.#screen.element;
    const best = fine ?? this.#tile.element ?? this.#preview.element ?? this.#placeholder;
    const size = best instanceof HTMLImageElement ? { width: best.naturalWidth, height: best.naturalHeight } : best;
    return { width: size.width || 1, height: size.height || 1, isLeast: !fine };
  }

  /** Asks for what shows more of the picture than what is here. */
  #refine() {
    this.#sharpen();
    this.#animate();
  }

  /** When the screen rendition is here and has fewer pixels than are looked at, what has more is asked for. */
  #sharpen() {
    const screen = this.#screen.element;
    if (!screen || !this.image || this.#original.phase !== 'idle') return;
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

  /** A still rendition of a picture that moves is only half of it; but nothing moves by itself for who wishes so. */
  #animate() {
    const { type = '', frames = 1 } = this.image ?? {};
    const moves = frames > 1 && playedByBrowsers.test(type);
    const waits = moves && this.#place === 'current' && this.#original.phase === 'idle' && this.isReady;
    this.#play.hidden = !(waits && still.matches);
    if (waits && !still.matches) this.#requestOriginal();
  }

  /** All pixels: as the source has them where browsers show that, else as the server makes them. */
  #requestOriginal() {
    // A slot has one token: what is less than all and still under way would be cancelled, and come again.
    if (this.#finer.phase !== 'shown') this.#loader.release(this.#finer);
    this.#play.hidden = true;
    this.#request(this.#original, this.#isShowable ? 'original' : 'full');
  }

  /** Whether browsers show the file itself. */
  get #isShowable() {
    const { type, bytes = 0 } = this.image ?? {};
    return (!type || shownByBrowsers.test(type)) && bytes <= Frame.#heaviest;
  }

  /**
   * Once for each picture.
   * @param {Layer} layer
   * @param {import('../catalog/server.js').Rendition} rendition
   */
  #request(layer, rendition) {
    if (!this.image || layer.phase !== 'idle') return;
    layer.rendition = rendition;
    layer.begin(this.index, this.image);
    this.#loader.request(layer);
  }
}
