import { find } from '../page/template.js';
import { glide } from './flight.js';

/** The track on which the frames lie side by side, as a finger moves it: sideways to turn, down or up to close. */
export class Track {
  /** How far, as a share of the width or in pixels, or how fast a finger must go for the track to go with it. */
  static #shareToTurn = 0.25;
  static #wayToClose = 110;
  static #speedToGo = 0.4;
  /** Pixels of pulling after which as little of the backdrop is left as ever. */
  static #fadeOver = 400;
  static #faintest = 0.2;

  #element = find('#viewer-track');
  #backdrop = find('#viewer-backdrop');
  /** Where the track stood when a finger was put on it, in pixels. */
  #start = 0;

  /** @param {HTMLElement[]} frames */
  constructor(frames) {
    this.#element.append(...frames);
  }

  /** A finger is put on it: where it is gliding it stops, and goes on from there. */
  hold() {
    this.#start = new DOMMatrix(getComputedStyle(this.#element).transform).m41;
    for (const animation of this.#element.getAnimations()) animation.cancel();
    if (this.#start !== 0) this.#element.style.transform = `translateX(${this.#start}px)`;
  }

  /**
   * @param {number} way
   * @param {boolean} isAtEnd  There is no neighbour on that side, so the track follows unwillingly.
   */
  swipe(way, isAtEnd) {
    this.#element.style.transform = `translateX(${this.#start + (isAtEnd ? way / 4 : way)}px)`;
  }

  /**
   * The neighbour that a swipe goes to: 1, -1, or 0 for none.
   * @param {number} way
   * @param {number} speed
   */
  stepOf(way, speed) {
    const isFar = Math.abs(way) > this.#element.clientWidth * Track.#shareToTurn || Math.abs(speed) > Track.#speedToGo;
    return isFar && way * speed >= 0 ? -Math.sign(way) : 0;
  }

  /**
   * The neighbour has taken the middle; from where it was seen it glides there. A finger may stop it on its way: what it
   * does next begins with the picture that is there.
   * @param {number} step
   */
  arrive(step) {
    const gap = Number.parseFloat(getComputedStyle(this.#element).getPropertyValue('--frame-gap')) || 0;
    const now = new DOMMatrix(getComputedStyle(this.#element).transform).m41;
    this.#element.style.transform = '';
    return glide(this.#element, `translateX(${now + step * (this.#element.clientWidth + gap)}px)`, 'none');
  }

  /**
   * The picture follows, and what is behind begins to show.
   * @param {number} way
   */
  pull(way) {
    this.#element.style.transform = `translateY(${way}px)`;
    this.#backdrop.style.opacity = String(Math.max(Track.#faintest, 1 - Math.abs(way) / Track.#fadeOver));
  }

  /**
   * Whether a pull was meant to close.
   * @param {number} way
   * @param {number} speed
   */
  closes(way, speed) {
    return Math.abs(way) > Track.#wayToClose || Math.abs(speed) > Track.#speedToGo;
  }

  /** Everything where it was before anybody touched it, at once. */
  reset() {
    this.#element.style.transform = '';
    this.#backdrop.style.opacity = '';
  }

  /** The same, gliding. */
  release() {
    const from = this.#element.style.transform;
    this.reset();
    return from ? glide(this.#element, from, 'none') : Promise.resolve();
  }
}
