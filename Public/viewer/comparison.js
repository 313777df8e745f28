import { headingOf } from '../catalog/naming.js';
import { announce } from '../page/announcer.js';
import { find } from '../page/template.js';

/**
 * Two images side by side: one that stays, and the viewer's current one. Both are zoomed and panned together.
 */
export class Comparison {
  /** @type {HTMLDialogElement} */
  #dialog = find('#viewer');
  #stage = find('#viewer-beside');
  #name = find('#viewer-beside-name');
  #button = find('#viewer-compare');
  #frame;

  /** @param {() => import('./frame.js').Frame} make  For an image that may be anywhere in the order. */
  constructor(make) {
    this.#frame = make();
    // It loads as urgently as the current frame, but style sheets and scripts must not take it for that frame.
    this.#frame.put('current', 0);
    this.#frame.element.dataset.place = 'beside';
    this.#stage.prepend(this.#frame.element);
    // The viewer's own observer, which is younger, runs after this one: then the zoom is followed again.
    new ResizeObserver(() => this.isOn && this.#frame.fit()).observe(this.#stage);
  }

  get stage() {
    return this.#stage;
  }

  get isOn() {
    return !this.#stage.hidden;
  }

  /** @param {import('./gestures.js').Point} at  Of its stage. */
  covers(at) {
    return this.#frame.zoom.covers(at);
  }

  /**
   * @param {import('./frame.js').Frame} frame  What stays, as it is rotated.
   * @param {() => Promise<string>} showOther  Displays another image instead, and returns its description.
   */
  async toggle({ index, image, label, zoom }, showOther) {
    if (this.isOn) {
      this.end();
      announce('Comparison ended');
    } else if (image) {
      this.#show(true);
      this.#name.textContent = headingOf(image);
      this.#frame.bind(index, image);
      this.#frame.rotate(zoom.quarterTurns);
      announce(`Comparing with ${label}. ${await showOther()}`);
    }
  }

  end() {
    if (!this.isOn) return;
    this.#show(false);
    this.#frame.unbind();
  }

  /** @param {import('./zoom.js').Zoom} zoom  Of the current image. */
  follow(zoom) {
    if (!this.isOn) return;
    const own = this.#frame.zoom;
    own.zoomTo(zoom.scale);
    // The same part of the image, whatever its size.
    const [x, y] = [(zoom.x * own.seen.width) / zoom.seen.width, (zoom.y * own.seen.height) / zoom.seen.height];
    own.panBy(x - own.x, y - own.y);
    this.#frame.applyZoom();
  }

  /** @param {boolean} isOn */
  #show(isOn) {
    this.#stage.hidden = !isOn;
    this.#dialog.toggleAttribute('data-comparing', isOn);
    this.#button.setAttribute('aria-pressed', String(isOn));
  }
}
