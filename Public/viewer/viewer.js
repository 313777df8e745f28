import { SlotGroup } from '../loading/slot-group.js';
import { Address } from '../page/address.js';
import { announce } from '../page/announcer.js';
import { Message } from '../page/message.js';
import { find } from '../page/template.js';
import { PageTitle } from '../page/title.js';
import { Caption } from './caption.js';
import { Comparison } from './comparison.js';
import { copyLink, copyPicture } from './copying.js';
import { Details } from './details.js';
import { Filmstrip } from './filmstrip.js';
import { crossFade } from './flight.js';
import { Frame } from './frame.js';
import { Frames } from './frames.js';
import { DetailsRequest } from './details-request.js';
import { attachKeys } from './keys.js';
import { Lift } from './lift.js';
import { attachMenu, isMenuOpen } from './menu.js';
import { neighbourhood } from './neighbours.js';
import { sightOf } from './sight.js';
import { Slideshow } from './slideshow.js';
import { SlideshowBar } from './slideshow-bar.js';
import { attachStageGestures } from './stage-gestures.js';
import { Track } from './track.js';
import { ZoomControl } from './zoom-control.js';

/**
 * The viewer: one image, large. It grows out of its slot and shrinks back into it; its neighbours are prepared
 * meanwhile. Back closes it.
 *
 * Events: `viewchange` when another image, or another part of it, is in view.
 */
export class Viewer extends EventTarget {
  /** @type {HTMLDialogElement} */
  #dialog = find('#viewer');
  #stage = find('#viewer-stage');
  #caption = new Caption((step) => this.move(this.#goal + step));
  #grid;
  #images;
  #detailsRequest;
  #details;
  #frames;
  #zoom;
  #track;
  #filmstrip;
  #gestures;
  #comparison;
  /** @type {Slideshow} */
  #slideshow = new Slideshow({
    isReady: () => this.#frames.neighbour(1).isReady || this.#index === this.#grid.total - 1,
    advance: () => this.move(this.#index === this.#grid.total - 1 ? 0 : this.#index + 1, { isFaded: true }),
    onChange: () => this.#slideshowBar.follow(),
  });
  /** @type {SlideshowBar} */
  #slideshowBar = new SlideshowBar(this.#slideshow);
  #index = -1;
  /**
   * The index to go to; equal to the current one unless the image there is still unknown. Further steps count from it.
   */
  #goal = -1;
  /**
   * The direction of the last step.
   * @type {1 | -1}
   */
  #direction = 1;
  /** Numbers each opening, closing and step, so that late answers can be told apart. */
  #visit = 0;
  /** The step back in the history that closes it has begun. */
  #isGoingBack = false;
  #lift = new Lift();

  /**
   * @param {{grid: import('../grid/grid.js').Grid, images: import('../loading/transport.js').Transport, slotGroup:
   *   import('../loading/slot-group.js').SlotGroup, loader: import('../loading/token-loader.js').TokenLoader,
   *   stillLoader: import('../loading/token-loader.js').TokenLoader, besideLoader:
   *   import('../loading/token-loader.js').TokenLoader, server: import('../catalog/server.js').Server, finding:
   *   import('../finding/finding.js').Finding}} parts  `slotGroup`: for renditions of the stage's size; `loader`: for
   *   originals; `besideLoader`: for the image that others are compared with.
   */
  constructor({ grid, images, slotGroup, loader, stillLoader, besideLoader, server, finding }) {
    super();
    this.#grid = grid;
    this.#images = images;
    this.#detailsRequest = new DetailsRequest(server);
    const viewOf = (/** @type {string} */ folder) => finding.requested.with({ q: '', folder });
    this.#details = new Details({
      hrefOf: (folder) => `/?${viewOf(folder).text}`,
      onPullDown: () => this.#toggleDetails(),
      onFolder: (folder) => {
        this.leave();
        finding.request(viewOf(folder));
      },
    });
    this.#frames = new Frames({ make: () => new Frame(slotGroup, loader, (each) => this.#changed(each)), images, slotGroup });
    this.#zoom = new ZoomControl(this.#frames, (zoom) => this.#zoomed(zoom));
    this.#track = new Track(this.#frames.all.map((each) => each.element));
    this.#filmstrip = new Filmstrip({ images, loader: stillLoader, onChoose: (index) => this.move(index) });
    // The stream sends only images around the current one.
    const besideGroup = new SlotGroup(null, besideLoader);
    this.#comparison = new Comparison(() => new Frame(besideGroup, besideLoader, () => {}));
    this.#gestures = this.#attachGestures(this.#stage, (at) => this.#frames.current.zoom.covers(at));
    this.#attachGestures(this.#comparison.stage, (at) => this.#comparison.covers(at));
    this.#listen();
  }

  /** Until it begins to close. */
  get isOpen() {
    return this.#dialog.open && this.#index >= 0;
  }

  /**
   * The current image and its neighbours as a viewport; null while the viewer is closed.
   * @returns {import('../stream/stream.js').Sight | null}
   */
  get sight() {
    return this.isOpen ? sightOf(this.#index, this.#frames.current, this.#direction) : null;
  }

  #announceView() {
    this.dispatchEvent(new Event('viewchange'));
  }

  #listen() {
    find('#viewer-close').addEventListener('click', () => this.close());
    find('#viewer-zoom').addEventListener('click', () => this.#zoom.toggle());
    find('#viewer-details').addEventListener('click', () => this.#toggleDetails());
    this.#dialog.addEventListener('cancel', (event) => {
      if (event.target !== this.#dialog) return;
      event.preventDefault();
      this.#leave();
    });
    // A browser may close a dialog without asking, such as by the system's Back gesture.
    this.#dialog.addEventListener('close', () => this.#index >= 0 && this.#dismiss(false));
    new ResizeObserver(() => this.#fit()).observe(this.#stage);
    const menuActions = {
      rotate: (/** @type {1 | -1} */ by) => this.#rotate(by),
      toggleComparison: () => this.#toggleComparison(),
      copyPicture: () => copyPicture(this.#frames.current),
      copyLink: () => copyLink(location.href),
    };
    attachMenu(this.#dialog, menuActions);
    attachKeys(this.#dialog, {
      ...menuActions,
      turn: (by) => this.move(this.#goal + by),
      turnTo: (end) => this.move(end === 'first' ? 0 : this.#grid.total - 1),
      zoom: this.#zoom,
      toggleDetails: () => this.#toggleDetails(),
      toggleFilmstrip: () => this.#filmstrip.toggle(),
      toggleSlideshow: () => this.#slideshowBar.toggle(),
      leave: () => this.#leave(),
    });
  }

  /**
   * @param {HTMLElement} stage
   * @param {import('./stage-gestures.js').StageActions['covers']} covers
   */
  #attachGestures(stage, covers) {
    return attachStageGestures(stage, { zoom: this.#zoom, track: this.#track }, {
      step: (by) => this.move(this.#goal + by),
      has: (step) => this.#has(this.#index + step),
      isPrepared: (step) => this.#index === this.#goal && this.#has(this.#index + step)
        && this.#images.knownAt(this.#index + step) !== undefined,
      close: () => this.close(),
      toggleBars: () => this.#slideshowBar.toggleBars(),
      toggleDetails: () => this.#toggleDetails(),
      areDetailsOpen: () => this.#details.isOpen,
      isMenuOpen,
      covers,
    });
  }

  /** @param {1 | -1} by */
  #rotate(by) {
    this.#zoom.rotate(by);
    announce(by > 0 ? 'Rotated right' : 'Rotated left');
  }

  /** Ends the slideshow or the comparison, or else closes the viewer. */
  #leave() {
    if (this.#slideshowBar.isShown) this.#slideshowBar.end();
    else if (this.#comparison.isOn) this.#toggleComparison();
    else this.close();
  }

  /** Begins a comparison of the current image with its neighbour, or ends it. */
  #toggleComparison() {
    if (this.#grid.total < 2) return undefined;
    return this.#comparison.toggle(this.#frames.current, async () => {
      await this.move(this.#has(this.#index + 1) ? this.#index + 1 : this.#index - 1);
      return this.#caption.announced;
    });
  }

  #toggleDetails() {
    this.#details.toggle();
    this.#describe();
    this.#learn();
    announce(this.#details.isOpen ? 'Details shown' : 'Details hidden');
  }

  /** @param {number} index */
  #has(index) {
    return index >= 0 && index < this.#grid.total;
  }

  /**
   * @param {number} index
   * @param {{isNewVisit?: boolean}} how  Not new if the address already names the image.
   */
  async open(index, { isNewVisit = true } = {}) {
    const visit = (this.#visit += 1);
    const image = await this.#images.load(index).catch(() => undefined);
    if (!image || visit !== this.#visit) return;
    const slot = this.#grid.cellAt(index)?.element;
    if (isNewVisit) Address.enterImage(image.id);
    else Address.showImage(image.id);
    this.#dialog.showModal();
    // For style sheets: with `:has(dialog[open])` the browser would re-evaluate them at each change of the page.
    document.documentElement.dataset.viewing = '';
    this.#gestures.ignoreDoubleClick();
    this.#show(index, image);
    this.#stage.focus({ preventScroll: true });
    await this.#frames.current.tileShown();
    if (visit !== this.#visit || !slot) return;
    await this.#lift.up(slot, this.#frames.current.box);
  }

  close() {
    if (!this.isOpen || this.#isGoingBack) return;
    this.#isGoingBack = Boolean(history.state?.image);
    if (this.#isGoingBack) history.back();
    else this.#dismiss(true);
  }

  /** The address no longer names an image. */
  leave() {
    if (this.isOpen) this.#dismiss(true);
  }

  /**
   * @param {number} index
   * @param {{isFaded?: boolean}} how
   */
  async move(index, { isFaded = false } = {}) {
    if (!this.#has(index) || index === this.#goal) return;
    this.#goal = index;
    const visit = (this.#visit += 1);
    const image = this.#images.knownAt(index) ?? (await this.#images.load(index).catch(() => undefined));
    if (visit !== this.#visit || !this.isOpen) return;
    if (!image || index === this.#index) {
      this.#goal = this.#index;
      return;
    }
    Address.showImage(image.id);
    const before = this.#frames.current;
    before.zoom.reset();
    before.applyZoom();
    this.#direction = index > this.#index ? 1 : -1;
    this.#show(index, image);
    if (isFaded) crossFade(before.element, this.#frames.current.element);
  }

  /**
   * @param {number} index
   * @param {import('../catalog/server.js').GalleryImage} image
   */
  #show(index, image) {
    this.#index = index;
    this.#goal = index;
    this.#situate(image);
    this.#frames.current.applyZoom();
    this.#zoomed(this.#frames.current.zoom);
    this.#describe();
    this.#learn();
    this.#slideshow.begin();
  }

  /**
   * Displays the image's position in the order, and prepares its neighbours.
   * @param {import('../catalog/server.js').GalleryImage} image
   */
  #situate(image) {
    const { total } = this.#grid;
    this.#caption.count(this.#index, total);
    this.#frames.arrange(this.#index, image, { direction: this.#direction, total });
    this.#filmstrip.show(this.#index, total);
    this.#announceView();
  }

  /**
   * When the order changes, the image stays and gets other neighbours; if it is gone, its nearest neighbour is
   * displayed.
   * @returns {import('../catalog/reordering.js').Follower}
   */
  get follower() {
    return {
      anchors: () => {
        const { image } = this.#frames.current;
        return neighbourhood(this.#index, image?.id, this.#grid.total, (index) => this.#images.imageAt(index));
      },
      follow: (index) => this.#follow(index),
    };
  }

  /** @param {number} index */
  async #follow(index) {
    if (this.#index < 0) return;
    // A step in progress started from the old position.
    const visit = (this.#visit += 1);
    this.#index = index;
    this.#goal = index;
    const image = this.#images.knownAt(index) ?? (await this.#images.load(index).catch(() => undefined));
    if (!image || visit !== this.#visit || !this.isOpen) return;
    if (image.id === this.#frames.current.image?.id) {
      this.#situate(image);
    } else {
      const { label } = this.#frames.current;
      Address.showImage(image.id);
      this.#show(index, image);
      Message.show(`“${label}” is no longer here. Showing “${this.#frames.current.label}” instead.`);
    }
  }

  /**
   * An image is displayed, has failed, or has more metadata.
   * @param {Frame} frame
   */
  #changed(frame) {
    if (this.#index < 0) return;
    this.#slideshow.check();
    if (frame !== this.#frames.current) return;
    this.#announceView();
    this.#describe();
    this.#learn();
  }

  /** Updates the captions and details. */
  #describe() {
    const { image, label, described, blob } = this.#frames.current;
    if (image) this.#caption.name(image);
    this.#dialog.setAttribute('aria-label', `${label}, picture viewer`);
    if (described) this.#details.show(described, blob);
    this.#caption.announce(label, this.#index, this.#grid.total);
    this.#caption.magnify(this.#frames.current.zoom);
  }

  async #learn() {
    const { current } = this.#frames;
    const whole = await this.#detailsRequest.about(current, this.#details.isOpen);
    if (!whole || current.image?.id !== whole.id || this.#index < 0) return;
    current.learn(whole);
    if (current === this.#frames.current) this.#describe();
  }

  /** The stage has changed its size: the window changed, or a panel opened. */
  #fit() {
    if (!this.isOpen) return;
    for (const frame of this.#frames.all) frame.fit(frame.zoom);
    this.#zoomed(this.#frames.current.zoom);
  }

  /** @param {boolean} isAnimated */
  async #dismiss(isAnimated) {
    const visit = (this.#visit += 1);
    const index = this.#index;
    const { current } = this.#frames;
    [this.#index, this.#goal, this.#isGoingBack, this.#caption.announced] = [-1, -1, false, ''];
    this.#slideshowBar.end();
    this.#comparison.end();
    PageTitle.showImage('');
    this.#grid.reveal(index);
    this.#announceView();
    const cell = this.#grid.cellAt(index);
    // An image that loaded here will load there.
    if (current.isReady && !current.problem) cell?.retry();
    if (isAnimated && cell) {
      this.#dialog.dataset.closing = '';
      await this.#lift.down(cell.element, current.box);
      delete this.#dialog.dataset.closing;
    }
    if (visit !== this.#visit) return;
    this.#lift.end();
    this.#track.reset();
    if (this.#dialog.open) this.#dialog.close();
    delete document.documentElement.dataset.viewing;
    this.#frames.empty();
    this.#filmstrip.empty();
    this.#detailsRequest.forget();
    this.#grid.focus(index);
  }

  /** @param {import('./zoom.js').Zoom} zoom */
  #zoomed(zoom) {
    if (zoom.isIn) this.#slideshow.pause();
    this.#announceView();
    this.#caption.magnify(zoom);
    this.#comparison.follow(zoom);
  }
}
