/** How far a frame has loaded its image. Style sheets see it as classes and attributes of the frame. */
export class FramePhase {
  #element;

  /** @param {HTMLElement} element  The frame. */
  constructor(element) {
    this.#element = element;
  }

  /** Whether the image is displayed as a whole. */
  get isDisplayed() {
    return this.#element.dataset.phase === 'displayed';
  }

  /** Whether there is something to look at, or nothing more to wait for. */
  get isReady() {
    return this.isDisplayed || this.#element.dataset.phase === 'failed';
  }

  /**
   * Sets classes for style sheets, too: selectors on `data-phase` would be matched against each slot of the grid, and
   * hundreds of slots change their phase in a fling.
   * @param {'loading' | 'failed' | 'displayed' | null} phase  Null while the frame has no image.
   */
  enter(phase) {
    const { classList, dataset } = this.#element;
    if (phase) dataset.phase = phase;
    else delete dataset.phase;
    if (phase === null || phase === 'displayed') delete dataset.part;
    classList.toggle('is-loading', phase === 'loading');
    classList.toggle('is-failed', phase === 'failed');
  }

  /** Notes that there is something to look at although the file could not be decoded. */
  markPart() {
    this.#element.dataset.part = '';
  }
}
