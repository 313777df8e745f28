/**
 * Displays one image after the other, each for a while. An image stays until the next one is ready; nothing advances
 * while the page is hidden.
 */
export class Slideshow {
  #isReady;
  #advance;
  #onChange;
  #isPlaying = false;
  #isHeld = false;
  /** The image has been displayed for its time. */
  #isDue = false;
  #seconds = 5;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {{isReady: () => boolean, advance: () => void, onChange: () => void}} parts  `isReady`: whether the next
   *   image can be displayed at once. `onChange`: called at the start and the end.
   */
  constructor({ isReady, advance, onChange }) {
    this.#isReady = isReady;
    this.#advance = advance;
    this.#onChange = onChange;
  }

  get isPlaying() {
    return this.#isPlaying;
  }

  get seconds() {
    return this.#seconds;
  }

  /** @param {number} seconds  Per image. */
  set seconds(seconds) {
    this.#seconds = seconds;
    this.begin();
  }

  play() {
    if (this.#isPlaying) return;
    this.#isPlaying = true;
    this.begin();
    this.#onChange();
  }

  pause() {
    if (!this.#isPlaying) return;
    this.#isPlaying = false;
    this.begin();
    this.#onChange();
  }

  /** @param {boolean} isHeld  True while the page is hidden. */
  hold(isHeld) {
    this.#isHeld = isHeld;
    this.begin();
  }

  /** Another image is displayed, and gets its full time. */
  begin() {
    clearTimeout(this.#timer);
    this.#isDue = false;
    if (!this.#isPlaying || this.#isHeld) return;
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      this.check();
    }, this.#seconds * 1_000);
  }

  /** The next image may be ready. */
  check() {
    if (this.#isDue && this.#isReady()) this.#advance();
  }
}
