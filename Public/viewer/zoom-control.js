import { glide } from './flight.js';

/**
 * Zooms and pans the current image.
 * @typedef {import('./zoom.js').Zoom} Zoom
 * @typedef {import('./gestures.js').Point} Point
 */
export class ZoomControl {
  #frames;
  #onChange;

  /**
   * @param {import('./frames.js').Frames} frames
   * @param {(zoom: Zoom) => void} onChange  Called after each change.
   */
  constructor(frames, onChange) {
    this.#frames = frames;
    this.#onChange = onChange;
  }

  get isIn() {
    return this.#frames.current.zoom.isIn;
  }

  /** @param {number} factor */
  multiply(factor) {
    this.#change((zoom) => zoom.zoomTo(zoom.scale * factor));
  }

  /** Displays all of the image. */
  fit() {
    this.#change((zoom) => zoom.reset());
  }

  /** One pixel of the screen for each of the image. */
  showActualSize() {
    this.#change((zoom) => zoom.zoomTo(zoom.natural));
  }

  /** @param {1 | -1} by  A quarter turn, clockwise if positive. */
  rotate(by) {
    const { current } = this.#frames;
    current.rotate(by);
    const { quarterTurns } = current.zoom;
    glide(current.box, `rotate(${(quarterTurns - by) * 90}deg)`, `rotate(${quarterTurns * 90}deg)`);
    this.#onChange(current.zoom);
  }

  /** @param {Point} [at]  Stays in place. */
  toggle(at) {
    const { box } = this.#frames.current;
    const before = box.style.transform;
    this.#change((zoom) => (zoom.isIn ? zoom.reset() : zoom.zoomTo(zoom.step, at)));
    glide(box, before, box.style.transform);
  }

  /**
   * Whether a movement pans the image; one past its edge does not.
   * @param {number} dx
   * @param {number} dy
   */
  pans(dx, dy) {
    const { zoom } = this.#frames.current;
    const isSideways = Math.abs(dx) > Math.abs(dy);
    return zoom.isIn && !(isSideways && zoom.isAtEdge(dx));
  }

  /**
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    this.#change((zoom) => zoom.panBy(dx, dy));
  }

  /**
   * @param {number} factor
   * @param {Point} at  The middle of the fingers.
   * @param {number} dx  How far the middle has moved.
   * @param {number} dy
   */
  pinch(factor, at, dx, dy) {
    this.#change((zoom) => {
      zoom.zoomTo(zoom.scale * factor, at);
      zoom.panBy(dx, dy);
    });
  }

  /** @param {(zoom: Zoom) => void} change */
  #change(change) {
    const { current } = this.#frames;
    change(current.zoom);
    current.applyZoom();
    this.#onChange(current.zoom);
  }
}
