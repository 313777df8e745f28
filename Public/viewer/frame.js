import { linkTo } from '../catalog/links.js';
import { savesData } from '../loading/sizes.js';
import { paintPlaceholder } from '../placeholder/placeholder.js';
import { makeIncompleteMark, withIncompleteness } from '../page/incomplete.js';
import { cloneTemplate, find } from '../page/template.js';
import { Layer } from './layer.js';
import { Notice } from './notice.js';
import { Pyramid } from './pyramid/pyramid.js';
import { isPlayed, isShowable, isUndecodable } from './showable.js';
import { lackOf, needsMore, stageNeed } from './stage-need.js';
import { Zoom } from './zoom.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {'previous' | 'current' | 'next' | 'ahead'} Place  `ahead`: beyond the neighbour, and out of sight.
 */

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** One picture of the viewer, the one that is looked at or a neighbour that is made ready. */
export class Frame {
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

  #lane;
  #loader;
  #onChange;
  #mark = makeIncompleteMark();
  #placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.box));
  #notice;
  #play = find('.frame-play', this.element);
  #preview = new Layer('preview', 'preview', this);
  /** What the stage needs, by the stream where there is one. */
  #screen = new Layer('screen', 'screen', this);
  #original = new Layer('original', 'original', this);
  /** In the order of their fineness, as they lie on each other. */
  #layers = [this.#preview, this.#screen, this.#original];
  /** What is looked at closely of a picture that is too large to be shown as one. */
  #pyramid = new Pyramid(() => this.#lackTiles());
  /**
   * A small one, until the picture is here.
   * @type {HTMLImageElement | null}
   */
  #small = null;
  /** All its pixels cannot be had; so the most that can. */
  #lacksOriginal = false;
  /** @type {Place} */
  #place = 'current';
  /** How many others are more urgent. */
  #distance = 0;

  /**
   * @param {import('../loading/lane.js').Lane} lane  Of pictures as large as the stage.
   * @param {import('../loading/loader.js').PictureLoader} loader  Of what no stream brings.
   * @param {(frame: Frame) => void} onChange  Called when the picture is shown, cannot be, is known better, or when it
   *   needs more pixels.
   */
  constructor(lane, loader, onChange) {
    this.#lane = lane;
    this.#loader = loader;
    this.#onChange = onChange;
    this.#notice = new Notice(this.element, () => this.retry());
    this.#mark.hidden = true;
    this.element.append(this.#mark);
    this.box.append(this.#pyramid.element);
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

  /** The bytes of what is shown; null while there is no more than a small picture. */
  get blob() {
    return (this.isReady ? this.#screen.picture?.blob : null) ?? this.#original.picture?.blob ?? null;
  }

  /**
   * What the stage needs of the picture; in steps, so that not every turn of a wheel asks for more.
   * @returns {import('../loading/sizes.js').Need}
   */
  get need() {
    // What is looked at closely of a huge one comes in tiles.
    const isEnlarged = this.#place === 'current' && !this.#pyramid.isFor(this.image);
    return stageNeed(this.zoom, { isEnlarged, isMost: this.#lacksOriginal });
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
    if (place !== 'current') this.#pyramid.leave();
    this.#refine();
  }

  /**
   * @param {number} index
   * @param {GalleryImage} image
   */
  bind(index, image) {
    if (image.id === this.image?.id) {
      if (index !== this.index) this.#lane.renumber(this.#screen, index);
      this.index = index;
      this.#screen.rebind(image);
      return;
    }
    this.unbind();
    this.index = index;
    this.image = image;
    this.#enter('loading');
    paintPlaceholder(this.#placeholder, image.placeholder);
    this.#mark.hidden = !this.#isIncomplete;
    this.fit();
    this.#screen.begin(index, image);
    this.#lane.request(this.#screen);
  }

  unbind() {
    this.index = -1;
    this.image = null;
    this.problem = null;
    this.#notice.hide();
    this.#lacksOriginal = false;
    this.#lane.release(this.#screen);
    for (const layer of [this.#preview, this.#original]) this.#loader.release(layer);
    for (const layer of this.#layers) layer.clear();
    this.#pyramid.clear();
    this.#small?.remove();
    this.#small = null;
    for (const each of [this.#placeholder, this.#mark, this.#play]) each.hidden = true;
    this.#enter(null);
    delete this.element.dataset.part;
  }

  retry() {
    this.#forgive();
    this.#lane.retry(this.#screen);
    this.#onChange(this);
  }

  #forgive() {
    this.problem = null;
    this.#notice.hide();
    this.#enter('loading');
  }

  /** @param {GalleryImage} image  The same image, of another content: its picture is loaded anew. */
  renew(image) {
    this.image = { ...this.image, ...image };
    this.#loader.release(this.#original);
    this.#original.clear();
    this.#pyramid.clear();
    this.#lane.release(this.#screen);
    this.#screen.begin(this.index, this.image);
    this.#lane.request(this.#screen);
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
    this.zoom = Zoom.fitting(stage, this.#naturalSize());
    this.box.style.width = `${this.zoom.box.width}px`;
    this.box.style.height = `${this.zoom.box.height}px`;
    this.applyZoom();
  }

  applyZoom() {
    this.box.style.transform = this.zoom.transform;
    this.element.classList.toggle('is-zoomed', this.zoom.isIn);
    this.#refine();
  }

  /** Settles once something is shown, if it is here to be shown; at once otherwise. */
  async tileShown() {
    for (let frame = 0; frame < 6 && this.#screen.phase === 'decoding'; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** @param {HTMLImageElement} element  Small, until the picture is here. Called by a layer. */
  previewCame(element) {
    if (this.#layers.some(({ element: shown }) => shown)) return;
    this.#small?.remove();
    this.#small = element;
    element.className = 'frame-preview';
    element.alt = '';
    this.#placeholder.after(element);
    if (!this.#isSizeKnown() && !this.zoom.isIn) this.fit();
  }

  /** @param {Layer} layer  Called by a layer that has its picture, or a finer one. */
  layerShown(layer) {
    const element = /** @type {HTMLImageElement} */ (layer.element);
    element.alt = layer === this.#preview ? '' : this.label;
    // Layers arrive in any order and lie in the order of their fineness.
    const at = this.#layers.indexOf(layer);
    const above = this.#layers.slice(at + 1).find(({ element: other }) => other?.isConnected);
    // One of them is the picture for who does not see it.
    if (above) element.alt = '';
    for (const below of this.#layers.slice(0, at)) below.element?.setAttribute('alt', '');
    this.box.insertBefore(element, above?.element ?? this.#pyramid.element);
    // What failed once and came after all is no failure.
    if (this.problem && layer === this.#screen) this.#forgive();
    if (this.problem) this.#showPart(layer);
    else if (layer === this.#original) this.#showWhole();
    if (!this.#isSizeKnown() && !this.zoom.isIn) this.fit();
    this.#mark.hidden = !this.#isIncomplete;
    this.#refine();
    this.#onChange(this);
  }

  /** @param {Layer} layer  Called by a layer that has all that comes of its picture. */
  layerFinished(layer) {
    if (layer !== this.#screen || this.problem) return;
    if (this.element.dataset.phase !== 'shown') {
      this.#showWhole();
      if (!this.#isSizeKnown() && !this.zoom.isIn) this.fit();
    }
    this.#refine();
    this.#onChange(this);
  }

  /**
   * @param {Layer} layer
   * @param {Problem} problem
   */
  layerFailed(layer, problem) {
    // All pixels may be too many for the server to make, or for the browser to show.
    if (layer === this.#original) {
      this.#lacksOriginal = true;
      this.#lane.refine(this.#screen);
      this.#onChange(this);
    }
    // What is shown was only to become finer.
    if (layer !== this.#screen || this.element.dataset.phase === 'shown') return;
    this.problem = problem;
    this.#enter('failed');
    this.#notice.show(problem, this.image);
    // What there is of it: a camera's small picture, and what the browser makes of the file.
    if (isUndecodable(problem)) {
      if (this.#small) this.element.dataset.part = '';
      else this.#request(this.#preview, 'preview');
      if (isShowable(this.image)) this.#requestOriginal();
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

  /**
   * For style sheets by its class: what they said of `data-phase` would be looked at for each slot of the grid, whose
   * phases change by the hundred in a fling.
   * @param {'loading' | 'failed' | 'shown' | null} phase  Null while it has no picture.
   */
  #enter(phase) {
    const { classList, dataset } = this.element;
    if (phase) dataset.phase = phase;
    else delete dataset.phase;
    classList.toggle('is-loading', phase === 'loading');
    classList.toggle('is-failed', phase === 'failed');
  }

  #showWhole() {
    this.#enter('shown');
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
    const fine = this.#original.element ?? (this.isReady ? this.#screen.element : null);
    const best = fine ?? this.#screen.element ?? this.#preview.element ?? this.#small ?? this.#placeholder;
    const size = best instanceof HTMLImageElement ? { width: best.naturalWidth, height: best.naturalHeight } : best;
    return { width: size.width || 1, height: size.height || 1, isLeast: !fine };
  }

  /** Asks for what shows more of the picture than what is here. */
  #refine() {
    this.#lane.refine(this.#screen);
    this.#sharpen();
    this.#animate();
  }

  /** When all is here that the steps have, and more is looked at, the picture itself is asked for. */
  #sharpen() {
    const { element: screen, pixels } = this.#screen;
    if (!screen || !this.image || !this.isReady || this.#place !== 'current') return;
    if (this.#original.phase !== 'idle') return;
    const side = Math.max(screen.naturalWidth, screen.naturalHeight);
    const lack = lackOf(this.zoom, this.image, { side, pixels });
    if (this.#pyramid.isFor(this.image)) {
      // Who pays for what is sent is shown more where they look closely.
      const isLacking = this.zoom.isIn ? needsMore(this.zoom, side) : lack && !savesData();
      if (isLacking) this.#pyramid.look(linkTo(this.image, 'pyramid'), this.zoom);
      else this.#pyramid.rest(this.zoom);
    } else if (lack === 'pixels' || (lack && this.zoom.isIn && isShowable(this.image))) {
      this.#requestOriginal();
    }
  }

  /** Then the steps, and the picture itself, have to do. */
  #lackTiles() {
    this.#refine();
    this.#onChange(this);
  }

  /** A still rendition of a picture that moves is only half of it; but nothing moves by itself for who wishes so. */
  #animate() {
    const { type = '', frames = 1 } = this.image ?? {};
    const moves = frames > 1 && isPlayed(type);
    const waits = moves && this.#place === 'current' && this.#original.phase === 'idle' && this.isReady;
    this.#play.hidden = !(waits && still.matches);
    if (waits && !still.matches) this.#requestOriginal();
  }

  /** All pixels: as the source has them where browsers show that, else as the server makes them. */
  #requestOriginal() {
    this.#play.hidden = true;
    this.#request(this.#original, isShowable(this.image) ? 'original' : 'full');
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
