import { find } from '../page/template.js';
import { glide } from './flight.js';

/** How far (as a share of the width or in pixels) or how fast a finger must move for the track to follow. */
const shareToTurn = 0.25;
const farPull = 110;
const speedToGo = 0.4;
/** The distance of a pull after which the backdrop is at its faintest. Pixels. */
const fadeOver = 400;
const faintest = 0.2;

/** The track with the frames side by side, as a finger moves it: sideways to turn, down to close, up for the details. */
export class Track {
  #element = find('#viewer-track');
  #backdrop = find('#viewer-backdrop');
  /** The track's offset when the finger was put down, in pixels. */
  #start = 0;

  /** @param {HTMLElement[]} frames */
  constructor(frames) {
    this.#element.append(...frames);
  }

  /** A finger is put down: a gliding track stops, and continues from there. */
  hold() {
    this.#start = new DOMMatrix(getComputedStyle(this.#element).transform).m41;
    for (const animation of this.#element.getAnimations()) animation.cancel();
    if (this.#start !== 0) this.#element.style.transform = `translateX(${this.#start}px)`;
  }

  /**
   * @param {number} way
   * @param {boolean} isAtEnd  There is no neighbour on that side, so the track resists.
   */
  swipe(way, isAtEnd) {
    this.#element.style.transform = `translateX(${this.#start + (isAtEnd ? way / 4 : way)}px)`;
  }

  /**
   * The neighbour that a swipe turns to: 1, -1, or 0 for none.
   * @param {number} way
   * @param {number} speed
   */
  stepOf(way, speed) {
    const isFar = Math.abs(way) > this.#element.clientWidth * shareToTurn || Math.abs(speed) > speedToGo;
    return isFar && way * speed >= 0 ? -Math.sign(way) : 0;
  }

  /**
   * The neighbour has become the current image: glide from where it was. A finger may stop the glide; its gesture then
   * starts with the new image.
   * @param {number} step
   */
  arrive(step) {
    const gap = Number.parseFloat(getComputedStyle(this.#element).getPropertyValue('--frame-gap')) || 0;
    const now = new DOMMatrix(getComputedStyle(this.#element).transform).m41;
    this.#element.style.transform = '';
    return glide(this.#element, `translateX(${now + step * (this.#element.clientWidth + gap)}px)`, 'none');
  }

  /**
   * The image follows a vertical pull; the backdrop fades if it may close the viewer.
   * @param {number} way
   */
  pull(way) {
    this.#element.style.transform = `translateY(${way}px)`;
    this.#backdrop.style.opacity = String(Math.max(faintest, 1 - Math.max(0, way) / fadeOver));
  }

  /**
   * The direction of a pull; none if it was neither far nor fast.
   * @param {number} way
   * @param {number} speed
   */
  pullOf(way, speed) {
    const isFar = Math.abs(way) > farPull || Math.abs(speed) > speedToGo;
    if (!isFar) return 'none';
    return way > 0 ? 'down' : 'up';
  }

  /** Resets the track at once. */
  reset() {
    this.#element.style.transform = '';
    this.#backdrop.style.opacity = '';
  }

  /** Resets the track with a glide. */
  release() {
    const from = this.#element.style.transform;
    this.reset();
    return from ? glide(this.#element, from, 'none') : Promise.resolve();
  }
}
