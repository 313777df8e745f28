import { Address } from '../page/address.js';
import { announce } from '../page/announcer.js';
import { formatNumber } from '../page/numbers.js';
import { find } from '../page/template.js';
import { Details } from './details.js';
import { fade, glide, growFrom, shrinkTo } from './flight.js';
import { Frame } from './frame.js';
import { Gestures } from './gestures.js';
import { attachKeys } from './keys.js';
import { Strip } from './strip.js';

/**
 * One picture, large. It grows out of its slot and shrinks back into it; its neighbours are made ready while it is
 * looked at. Back closes it.
 */
export class Viewer {
  /** So many neighbours on each side are asked for when the picture is gone. */
  static #reach = 60;

  /** @type {HTMLDialogElement} */
  #dialog = find('#viewer');
  #stage = find('#viewer-stage');
  #backdrop = find('#viewer-backdrop');
  #name = find('#viewer-name');
  #count = find('#viewer-count');
  /** @type {HTMLAnchorElement} */
  #download = find('#viewer-download');
  /** @type {HTMLButtonElement} */
  #previousButton = find('#viewer-previous');
  /** @type {HTMLButtonElement} */
  #nextButton = find('#viewer-next');
  #grid;
  #images;
  #details;
  #frames;
  #strip;
  #index = -1;
  /** Counts what was opened, closed or moved to, so that what comes late can be told apart. */
  #visit = 0;
  /**
   * The cell whose picture the viewer has lifted out of the grid.
   * @type {HTMLElement | null}
   */
  #lifted = null;

  /**
   * @param {{grid: import('../grid/grid.js').Grid, images: import('../loading/way.js').Way,
   *   loader: import('../loading/loader.js').PictureLoader, cache: import('../loading/cache.js').PictureCache,
   *   server: import('../catalog/server.js').Server}} parts
   */
  constructor({ grid, images, loader, cache, server }) {
    this.#grid = grid;
    this.#images = images;
    this.#details = new Details(server);
    const frame = () => new Frame(loader, cache, (each) => this.#isCurrent(each) && this.#describe());
    this.#frames = { previous: frame(), current: frame(), next: frame() };
    this.#strip = new Strip(Object.values(this.#frames).map((each) => each.element));
    this.#assignPlaces();
    this.#listen();
  }

  get isOpen() {
    return this.#dialog.open;
  }

  #listen() {
    find('#viewer-close').addEventListener('click', () => this.close());
    find('#viewer-zoom').addEventListener('click', () => this.#toggleZoom());
    find('#viewer-details').addEventListener('click', () => this.#toggleDetails());
    this.#previousButton.addEventListener('click', () => this.move(this.#index - 1));
    this.#nextButton.addEventListener('click', () => this.move(this.#index + 1));
    this.#dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      this.close();
    });
    // A browser may close a dialog without asking, when Escape is pressed again and again.
    this.#dialog.addEventListener('close', () => this.#index >= 0 && this.#dismiss(false));
    new ResizeObserver(() => this.#fit()).observe(this.#stage);
    attachKeys(this.#dialog, {
      turn: (by) => this.move(this.#index + by),
      turnTo: (end) => this.move(end === 'first' ? 0 : this.#grid.total - 1),
      zoom: (by) => this.#change((zoom) => zoom.zoomTo(zoom.scale * by)),
      fit: () => this.#change((zoom) => zoom.reset()),
      toggleDetails: () => this.#toggleDetails(),
    });
    new Gestures(this.#stage, {
      mayPan: () => this.#frames.current.zoom.isIn,
      tap: (at, isTouch) => this.#tapped(at, isTouch),
      doubleTap: (at) => this.#toggleZoom(at),
      pan: (dx, dy) => this.#change((zoom) => zoom.panBy(dx, dy)),
      pinch: (factor, at, dx, dy) =>
        this.#change((zoom) => {
          zoom.zoomTo(zoom.scale * factor, at);
          zoom.panBy(dx, dy);
        }),
      swipe: (way) => this.#strip.swipe(way, !this.#has(this.#index - Math.sign(way))),
      swipeEnd: (way, speed) => this.#swiped(way, speed),
      pull: (way) => this.#strip.pull(way),
      pullEnd: (way, speed) => (this.#strip.closes(way, speed) ? this.close() : this.#strip.release()),
    });
  }

  #toggleDetails() {
    this.#details.toggle(this.#frames.current.described, this.#index);
  }

  /** @param {number} index */
  #has(index) {
    return index >= 0 && index < this.#grid.total;
  }

  /**
   * @param {number} index
   * @param {{isNewVisit?: boolean}} [how]  Not new when the address says so already.
   */
  async open(index, how = {}) {
    const { isNewVisit = true } = how;
    const visit = (this.#visit += 1);
    const image = await this.#images.load(index).catch(() => undefined);
    if (!image || visit !== this.#visit) return;
    const slot = this.#grid.cellAt(index)?.element;
    if (isNewVisit) Address.enterImage(image.id);
    this.#dialog.showModal();
    this.#show(index, image);
    this.#stage.focus({ preventScroll: true });
    await this.#frames.current.tileShown();
    if (visit !== this.#visit || !slot) return;
    this.#lift(slot);
    fade(this.#backdrop, 'in');
    await growFrom(slot.getBoundingClientRect(), this.#frames.current.box);
  }

  close() {
    if (!this.isOpen) return;
    // Going back in the history closes the viewer, as the Back button does.
    if (history.state?.image) history.back();
    else this.#dismiss(true);
  }

  /** The address has left the picture. */
  leave() {
    if (this.isOpen) this.#dismiss(true);
  }

  /** @param {number} index */
  async move(index) {
    if (!this.#has(index) || index === this.#index) return;
    const visit = (this.#visit += 1);
    const image = this.#images.knownAt(index) ?? (await this.#images.load(index).catch(() => undefined));
    if (!image || visit !== this.#visit || !this.isOpen) return;
    Address.showImage(image.id);
    this.#rotateTo(index);
    this.#show(index, image);
  }

  /**
   * @param {number} index
   * @param {import('../catalog/server.js').GalleryImage} image
   */
  #show(index, image) {
    this.#index = index;
    this.#frames.current.bind(index, image);
    this.#frames.current.applyZoom();
    this.#name.textContent = image.name;
    document.title = `${image.name} – Tessera`;
    this.#download.href = image.links.original;
    this.#download.download = image.name;
    this.#describe();
    this.#situate();
  }

  /** Says where in the order the picture stands, and makes its neighbours ready. */
  #situate() {
    const index = this.#index;
    this.#count.textContent = `${formatNumber(index + 1)} of ${formatNumber(this.#grid.total)}`;
    this.#previousButton.disabled = index === 0;
    this.#nextButton.disabled = index === this.#grid.total - 1;
    this.#prepare('previous', index - 1);
    this.#prepare('next', index + 1);
  }

  /**
   * When the order changes the picture stays, and has other neighbours; if it is gone, its nearest neighbour is shown.
   * @returns {import('../catalog/reordering.js').Follower}
   */
  get follower() {
    return {
      landmarks: () => (this.#index < 0 ? [] : [...this.#landmarks()]),
      follow: (index) => this.#follow(index),
    };
  }

  *#landmarks() {
    const { current } = this.#frames;
    if (current.image) yield { id: current.image.id, index: this.#index };
    for (const sign of [1, -1]) {
      for (let step = 1; step <= Viewer.#reach; step += 1) {
        const index = this.#index + sign * step;
        const image = this.#has(index) ? this.#images.imageAt(index) : undefined;
        if (image) yield { id: image.id, index };
      }
    }
  }

  /** @param {number} index */
  async #follow(index) {
    if (this.#index < 0) return;
    // A step that is under way counted from where the picture stood.
    const visit = (this.#visit += 1);
    this.#index = index;
    const image = this.#images.knownAt(index) ?? (await this.#images.load(index).catch(() => undefined));
    if (!image || visit !== this.#visit || !this.isOpen) return;
    if (image.id === this.#frames.current.image?.id) {
      this.#frames.current.bind(index, image);
      this.#situate();
    } else {
      Address.showImage(image.id);
      this.#show(index, image);
    }
  }

  /** @param {Frame} frame */
  #isCurrent(frame) {
    return this.isOpen && frame === this.#frames.current;
  }

  /** Says what is looked at, and says it again when more is known. */
  #describe() {
    const { label, described } = this.#frames.current;
    this.#dialog.setAttribute('aria-label', `${label}, picture viewer`);
    this.#details.show(described, this.#index);
    announce(`${label}, picture ${formatNumber(this.#index + 1)} of ${formatNumber(this.#grid.total)}`);
  }

  /**
   * Makes a neighbour ready.
   * @param {'previous' | 'next'} place
   * @param {number} index
   */
  async #prepare(place, index) {
    const frame = this.#frames[place];
    if (!this.#has(index)) {
      frame.unbind();
      return;
    }
    const visit = this.#visit;
    const image = this.#images.knownAt(index) ?? (await this.#images.load(index).catch(() => undefined));
    if (image && visit === this.#visit && this.isOpen) frame.bind(index, image);
  }

  /**
   * A step to a neighbour takes its frame, with everything that is in it already.
   * @param {number} index
   */
  #rotateTo(index) {
    const { previous, current, next } = this.#frames;
    current.zoom.reset();
    current.applyZoom();
    if (index === this.#index + 1) this.#frames = { previous: current, current: next, next: previous };
    if (index === this.#index - 1) this.#frames = { previous: next, current: previous, next: current };
    this.#assignPlaces();
  }

  #assignPlaces() {
    this.#frames.previous.place = 'previous';
    this.#frames.current.place = 'current';
    this.#frames.next.place = 'next';
  }

  /** The stage has another size: the window changed, or the details opened beside it. */
  #fit() {
    if (this.isOpen) for (const frame of Object.values(this.#frames)) frame.fit();
  }

  /** @param {boolean} isAnimated */
  async #dismiss(isAnimated) {
    const visit = (this.#visit += 1);
    const index = this.#index;
    const { current } = this.#frames;
    this.#index = -1;
    document.title = 'Tessera';
    this.#grid.reveal(index);
    const slot = this.#grid.cellAt(index)?.element;
    if (isAnimated && slot) {
      this.#lift(slot);
      this.#dialog.dataset.closing = '';
      const opacity = Number(getComputedStyle(this.#backdrop).opacity);
      await Promise.all([fade(this.#backdrop, 'out', opacity), shrinkTo(slot.getBoundingClientRect(), current.box)]);
      delete this.#dialog.dataset.closing;
    }
    if (visit !== this.#visit) return;
    this.#lift(null);
    this.#strip.reset();
    if (this.#dialog.open) this.#dialog.close();
    for (const frame of Object.values(this.#frames)) frame.unbind();
    this.#grid.focus(index);
  }

  /**
   * While its picture is in the viewer, the slot is empty.
   * @param {HTMLElement | null} slot
   */
  #lift(slot) {
    this.#lifted?.classList.remove('is-lifted');
    slot?.classList.add('is-lifted');
    this.#lifted = slot;
  }

  /** @param {(zoom: import('./zoom.js').Zoom) => void} change */
  #change(change) {
    const { current } = this.#frames;
    change(current.zoom);
    current.applyZoom();
  }

  /** @param {import('./gestures.js').Point} [at] */
  #toggleZoom(at) {
    const { current } = this.#frames;
    const before = current.box.style.transform;
    this.#change((zoom) => (zoom.isIn ? zoom.reset() : zoom.zoomTo(zoom.step, at)));
    glide(current.box, before, current.box.style.transform);
  }

  /**
   * @param {import('./gestures.js').Point} at
   * @param {boolean} isTouch
   */
  #tapped(at, isTouch) {
    const { box } = this.#frames.current;
    const isBeside = Math.abs(at.x) > box.offsetWidth / 2 || Math.abs(at.y) > box.offsetHeight / 2;
    if (isTouch) this.#dialog.toggleAttribute('data-bare');
    else if (isBeside && !this.#frames.current.zoom.isIn) this.close();
  }

  /**
   * @param {number} way
   * @param {number} speed
   */
  async #swiped(way, speed) {
    const wished = this.#strip.stepOf(way, speed);
    const step = this.#has(this.#index + wished) ? wished : 0;
    await this.#strip.settle(step);
    if (step !== 0) this.move(this.#index + step);
  }
}
