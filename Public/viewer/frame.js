import { isOtherVersion, linkTo } from '../catalog/links.js';
import { savesData } from '../loading/sizes.js';
import { paintPlaceholder } from '../placeholder/placeholder.js';
import { nameOf } from '../catalog/naming.js';
import { makeIncompleteMark, withIncompleteness } from '../page/incomplete.js';
import { Motion } from '../page/motion.js';
import { cloneTemplate, find } from '../page/template.js';
import { FramePhase } from './frame-phase.js';
import { Layer } from './layer.js';
import { aspectOf, isSizeKnown, naturalSize } from './natural-size.js';
import { Notice } from './notice.js';
import { Pyramid } from './pyramid/pyramid.js';
import { isPlayed, isShowable, isUndecodable } from './showable.js';
import { stack } from './stacking.js';
import { lackOf, needsMore, stageNeed } from './stage-need.js';
import { Zoom } from './zoom.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {import('./frames.js').Place} Place
 */

/** One image of the viewer: the current one, or a neighbour that is prepared. */
export class Frame {
  element = cloneTemplate('frame-template');
  box = find('.frame-box', this.element);
  index = -1;
  /**
   * The image, with everything learned about it since it was bound.
   * @type {GalleryImage | null}
   */
  image = null;
  zoom = new Zoom({ width: 1, height: 1 }, { width: 1, height: 1 }, 1);
  /**
   * Why there is no image, or only part of it.
   * @type {Problem | null}
   */
  problem = null;

  #slotGroup;
  #loader;
  #onChange;
  #mark = makeIncompleteMark();
  #phase = new FramePhase(this.element);
  #placeholder = /** @type {HTMLCanvasElement} */ (find('canvas', this.box));
  #notice;
  #play = find('.frame-play', this.element);
  #preview = new Layer('preview', 'preview', this);
  /** The rendition that the stage needs, by the stream if there is one. */
  #screen = new Layer('screen', 'screen', this);
  #original = new Layer('original', 'original', this);
  /** The layers, from coarse to fine, as they are stacked. */
  #layers = [this.#preview, this.#screen, this.#original];
  /** The close-up of an image that is too large to be displayed as one; without one, the other layers are used. */
  #pyramid = new Pyramid(() => {
    this.#refine();
    this.#onChange(this);
  });
  /**
   * The preview, until the image has loaded.
   * @type {HTMLImageElement | null}
   */
  #small = null;
  /** The displayed picture belongs to a former version of the image. */
  #isRenewed = false;
  /** The original is not available; make do with the largest step. */
  #lacksOriginal = false;
  /** Quarter turns, clockwise, by which the image is displayed. The file stays as it is. */
  #quarterTurns = 0;
  /** @type {Place} */
  #place = 'current';
  #distance = 0;

  /**
   * @param {import('../loading/slot-group.js').SlotGroup} slotGroup  For renditions of the stage's size.
   * @param {import('../loading/token-loader.js').TokenLoader} loader  For renditions that no stream sends.
   * @param {(frame: Frame) => void} onChange  Called when the image is displayed or has failed, when more is known of
   *   it, or when it needs more pixels.
   */
  constructor(slotGroup, loader, onChange) {
    this.#slotGroup = slotGroup;
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
    // More urgent than everything in the grid below, whose distances are at least 0.
    return { purpose: isCurrent ? 'visible' : 'prefetch', distance: isCurrent ? -1 : this.#distance };
  }

  /** Everything that is known of the image. */
  get described() {
    return this.image && { ...this.image, incomplete: this.#isIncomplete || undefined, problem: this.problem };
  }

  /** What the image is called, with a note if it is incomplete. */
  get label() {
    return withIncompleteness(this.image ? nameOf(this.image) : '', this.#isIncomplete);
  }

  /** Whether there is something to look at, or nothing more to wait for. */
  get isReady() {
    return this.#phase.isReady;
  }

  /** The finest displayed picture; null while there is only a preview. */
  get picture() {
    return this.#original.element ?? this.#screen.element;
  }

  /** The bytes of the displayed rendition; null while there is only a preview. */
  get blob() {
    return (this.isReady ? this.#screen.picture?.blob : null) ?? this.#original.picture?.blob ?? null;
  }

  /**
   * What the stage needs; in steps of the zoom, so that not every turn of the wheel changes it.
   * @returns {import('../loading/sizes.js').Need}
   */
  get need() {
    // Close-ups of a huge image come as pyramid tiles.
    const isEnlarged = this.#place === 'current' && !this.#pyramid.isFor(this.image);
    return stageNeed(this.zoom.unrotated, { isEnlarged, isMost: this.#lacksOriginal });
  }

  /**
   * @param {Place} place
   * @param {number} distance  How many other images are more urgent.
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
      if (index !== this.index) this.#slotGroup.renumber(this.#screen, index);
      this.index = index;
      this.#screen.rebind(image);
      return;
    }
    this.unbind();
    this.index = index;
    this.image = image;
    this.#phase.enter('loading');
    paintPlaceholder(this.#placeholder, image.placeholder);
    this.#mark.hidden = !this.#isIncomplete;
    this.fit();
    this.#screen.begin(index, image);
    this.#slotGroup.request(this.#screen);
  }

  unbind() {
    this.index = -1;
    this.image = null;
    this.problem = null;
    this.#notice.hide();
    this.#lacksOriginal = false;
    this.#isRenewed = false;
    this.#quarterTurns = 0;
    this.#slotGroup.release(this.#screen);
    for (const layer of [this.#preview, this.#original]) this.#loader.release(layer);
    for (const layer of this.#layers) layer.clear();
    this.#pyramid.clear();
    this.#small?.remove();
    this.#small = null;
    for (const each of [this.#placeholder, this.#mark, this.#play]) each.hidden = true;
    this.#phase.enter(null);
  }

  retry() {
    this.#forgive();
    this.#slotGroup.retry(this.#screen);
    this.#onChange(this);
  }

  #forgive() {
    this.problem = null;
    this.#notice.hide();
    this.#phase.enter('loading');
  }

  /**
   * The former picture stays, in its shape, until the new one has loaded.
   * @param {GalleryImage} image  The same image in another version: it is loaded again.
   */
  renew(image) {
    this.image = image;
    this.#isRenewed = true;
    this.#dropOriginal();
    this.#pyramid.clear();
    this.#slotGroup.release(this.#screen);
    this.#screen.begin(this.index, this.image);
    this.#slotGroup.request(this.#screen);
  }

  #dropOriginal() {
    this.#loader.release(this.#original);
    this.#original.clear();
    this.#screen.element?.setAttribute('alt', this.label);
  }

  /** @param {GalleryImage} image  The same image with more metadata. Another version of it is ignored. */
  learn(image) {
    if (image.id !== this.image?.id || isOtherVersion(image, this.image)) return;
    const { width, height } = this.image;
    this.image = { ...this.image, ...image };
    // The original was requested before the image was known to be huge. Without a screen rendition, it is all there is.
    if (!width && this.#pyramid.isFor(this.image) && this.#screen.element) this.#dropOriginal();
    if ((image.width !== width || image.height !== height) && !this.#isRenewed) this.#refit();
    this.#refine();
  }

  /**
   * Fits the image to the stage.
   * @param {Zoom} [before]  The zoom so far, to be kept if it enlarges the image.
   */
  fit(before) {
    const stage = { width: this.element.clientWidth, height: this.element.clientHeight };
    this.zoom = Zoom.fitting(stage, this.#naturalSize, this.#quarterTurns);
    if (before?.isIn) this.zoom.continue(before);
    this.box.style.width = `${this.zoom.box.width}px`;
    this.box.style.height = `${this.zoom.box.height}px`;
    this.applyZoom();
  }

  /** @param {number} by  Quarter turns, clockwise if positive; -1 to 3. */
  rotate(by) {
    this.#quarterTurns = (this.#quarterTurns + by + 4) % 4;
    this.fit();
  }

  applyZoom() {
    this.box.style.transform = this.zoom.transform;
    this.element.classList.toggle('is-zoomed', this.zoom.isIn);
    this.element.classList.toggle('is-hard', this.zoom.isHard);
    this.#refine();
  }

  /** Settles once something is displayed, if it is in the cache; at once otherwise. */
  async tileShown() {
    for (let frame = 0; frame < 6 && this.#screen.phase === 'decoding'; frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** @param {HTMLImageElement} element  The preview. Called by a layer. */
  previewCame(element) {
    if (this.#layers.some(({ element: shown }) => shown)) return;
    this.#small?.remove();
    this.#small = Object.assign(element, { className: 'frame-preview', alt: '' });
    this.#placeholder.after(element);
    if (!isSizeKnown(this.image) && !this.zoom.isIn) this.fit();
  }

  /** @param {Layer} layer  Called by a layer that has its image, or a finer one. */
  layerShown(layer) {
    const label = layer === this.#preview ? '' : this.label;
    stack(layer, this.#layers, { box: this.box, top: this.#pyramid.element, label });
    // It failed once and has arrived after all.
    if (this.problem && layer === this.#screen) this.#forgive();
    if (this.problem) this.#showPart(layer);
    else if (layer === this.#original) this.#phase.enter('displayed');
    if (this.#isRenewed || !isSizeKnown(this.image)) this.#refit();
    this.#isRenewed = false;
    this.#mark.hidden = !this.#isIncomplete;
    this.#refine();
    this.#onChange(this);
  }

  /** @param {Layer} layer  Called by a layer that will get nothing better. */
  layerFinished(layer) {
    if (layer !== this.#screen || this.problem) return;
    if (!this.#phase.isDisplayed) {
      this.#phase.enter('displayed');
      if (!isSizeKnown(this.image) && !this.zoom.isIn) this.fit();
    }
    this.#refine();
    this.#onChange(this);
  }

  /**
   * @param {Layer} layer
   * @param {Problem} problem
   */
  layerFailed(layer, problem) {
    // The full size may be too much for the server to render, or for the browser to display.
    if (layer === this.#original) {
      this.#lacksOriginal = true;
      this.#slotGroup.refine(this.#screen);
      this.#onChange(this);
    }
    // Only a finer rendition failed.
    if (layer !== this.#screen || this.#phase.isDisplayed) return;
    this.problem = problem;
    this.#phase.enter('failed');
    this.#notice.show(problem, this.image);
    // Display what there is: the camera's embedded preview, or whatever the browser makes of the file.
    if (isUndecodable(problem)) {
      if (this.#small) this.#phase.markPart();
      else this.#request(this.#preview, 'preview');
      if (isShowable(this.image)) this.#requestOriginal();
    }
    this.#onChange(this);
  }

  /**
   * There is something to look at although the server could not decode the file.
   * @param {Layer} layer
   */
  #showPart(layer) {
    this.#phase.markPart();
    // The browser displays a format that the server does not know: nothing is wrong.
    if (layer !== this.#original || this.problem?.status !== 415) return;
    this.problem = null;
    this.#notice.hide();
    this.#phase.enter('displayed');
  }

  get #isIncomplete() {
    return Boolean(this.image?.incomplete) || this.#layers.some(({ picture }) => picture?.isIncomplete);
  }

  get #naturalSize() {
    const { element: screen } = this.#screen;
    const fine = this.#original.element ?? (this.isReady ? screen : null);
    return naturalSize(this.image, fine, [screen, this.#preview.element, this.#small, this.#placeholder]);
  }

  /** Fits the image to the stage, but a user who has zoomed in keeps the present sight of what has the same shape. */
  #refit() {
    const isOtherShape = Math.abs(Math.log(aspectOf(this.#naturalSize) / aspectOf(this.zoom.box))) > 0.1;
    this.fit(isOtherShape ? undefined : this.zoom);
  }

  /** Requests a finer rendition if the zoom needs one. */
  #refine() {
    this.#slotGroup.refine(this.#screen);
    this.#sharpen();
    this.#animate();
  }

  /** Requests the full size once the steps are exhausted and the zoom needs more. */
  #sharpen() {
    const { element: screen, pixels } = this.#screen;
    if (!screen || !this.image || !this.isReady || this.#place !== 'current') return;
    if (this.#original.phase !== 'idle') return;
    const side = Math.max(screen.naturalWidth, screen.naturalHeight);
    const lack = lackOf(this.zoom, this.image, { side, pixels });
    if (this.#pyramid.isFor(this.image)) {
      // A user who saves data gets more only after zooming in.
      const isLacking = this.zoom.isIn ? needsMore(this.zoom, side) : lack && !savesData();
      if (isLacking) this.#pyramid.update(linkTo(this.image, 'pyramid'), this.zoom.unrotated);
      else this.#pyramid.rest(this.zoom);
    } else if (lack === 'pixels' || (lack && this.zoom.isIn && isShowable(this.image))) {
      this.#requestOriginal();
    }
  }

  /** A still rendition of an animated image is only half of it; with motion reduced, nothing plays by itself. */
  #animate() {
    const waits = isPlayed(this.image) && this.#place === 'current' && this.#original.phase === 'idle' && this.isReady;
    this.#play.hidden = !(waits && Motion.isReduced);
    if (waits && !Motion.isReduced) this.#requestOriginal();
  }

  /** Requests all pixels: the original if browsers display its format, or else the server's `full` rendition. */
  #requestOriginal() {
    this.#play.hidden = true;
    this.#request(this.#original, isShowable(this.image) ? 'original' : 'full');
  }

  /**
   * At most once per image.
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
