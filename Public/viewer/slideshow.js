/**
 * One picture after the other, each for a while. A picture is left only when the next one is ready to be seen; nothing
 * goes on while nobody can see it.
 */
export class Slideshow {
  #isReady;
  #advance;
  #onChange;
  #isPlaying = false;
  #isHeld = false;
  /** The picture has been there for its time. */
  #isDue = false;
  #seconds = 5;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {{isReady: () => boolean, advance: () => void, onChange: () => void}} parts  `isReady`: whether the next
   *   picture can be seen at once. `onChange`: it plays now, or no longer.
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

  /** @param {number} seconds  For each picture. */
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

  /** @param {boolean} isHeld  Nobody can see it now. */
  hold(isHeld) {
    this.#isHeld = isHeld;
    this.begin();
  }

  /** Another picture is shown, and has its whole time before it. */
  begin() {
    clearTimeout(this.#timer);
    this.#isDue = false;
    if (!this.#isPlaying || this.#isHeld) return;
    this.#timer = setTimeout(() => {
      this.#isDue = true;
      this.check();
    }, this.#seconds * 1_000);
  }

  /** The next picture may be ready. */
  check() {
    if (this.#isDue && this.#isReady()) this.#advance();
  }
}
