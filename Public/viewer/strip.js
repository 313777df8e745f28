import { find } from '../page/template.js';
import { glide } from './flight.js';

/** The strip on which the frames lie side by side, as a finger moves it: sideways to turn, down or up to close. */
export class Strip {
  /** How far, as a share of the width or in pixels, or how fast a finger must go for the strip to go with it. */
  static #shareToTurn = 0.25;
  static #wayToClose = 110;
  static #speedToGo = 0.4;
  /** Pixels of pulling after which as little of the backdrop is left as ever. */
  static #fadeOver = 400;
  static #faintest = 0.2;

  #element = find('#viewer-strip');
  #backdrop = find('#viewer-backdrop');

  /** @param {HTMLElement[]} frames */
  constructor(frames) {
    this.#element.append(...frames);
  }

  /**
   * @param {number} way
   * @param {boolean} isAtEnd  There is no neighbour on that side, so the strip follows unwillingly.
   */
  swipe(way, isAtEnd) {
    this.#element.style.transform = `translateX(${isAtEnd ? way / 4 : way}px)`;
  }

  /**
   * The neighbour that a swipe goes to: 1, -1, or 0 for none.
   * @param {number} way
   * @param {number} speed
   */
  stepOf(way, speed) {
    const isFar = Math.abs(way) > this.#element.clientWidth * Strip.#shareToTurn || Math.abs(speed) > Strip.#speedToGo;
    return isFar && way * speed >= 0 ? -Math.sign(way) : 0;
  }

  /**
   * Glides on to the neighbour, or back.
   * @param {number} step
   */
  async settle(step) {
    const gap = Number.parseFloat(getComputedStyle(this.#element).getPropertyValue('--frame-gap')) || 0;
    const way = -step * (this.#element.clientWidth + gap);
    await glide(this.#element, this.#element.style.transform, way === 0 ? 'none' : `translateX(${way}px)`);
    this.#element.style.transform = '';
  }

  /**
   * The picture follows, and what is behind begins to show.
   * @param {number} way
   */
  pull(way) {
    this.#element.style.transform = `translateY(${way}px)`;
    this.#backdrop.style.opacity = String(Math.max(Strip.#faintest, 1 - Math.abs(way) / Strip.#fadeOver));
  }

  /**
   * Whether a pull was meant to close.
   * @param {number} way
   * @param {number} speed
   */
  closes(way, speed) {
    return Math.abs(way) > Strip.#wayToClose || Math.abs(speed) > Strip.#speedToGo;
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
    return glide(this.#element, from, 'none');
  }
}
