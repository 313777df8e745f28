/** The weight of one sample. */
const sampleWeight = 1 / 8;
/** A longer interval between frames means that the page had nothing to paint, or slept. */
const longestFrameInterval = 150;
const longestLag = 500;

/**
 * The time from a preview's arrival until it is on screen, estimated from its wait for the page and the page's frame
 * rate. Pure: it is given times, and reads no clock. Milliseconds.
 */
export class Lag {
  #waiting = 8;
  #frame = 16;
  #before = Number.NEGATIVE_INFINITY;

  /** @param {number} passed  From a preview's arrival until it was painted. */
  shown(passed) {
    this.#waiting += (Math.min(longestLag, Math.max(0, passed)) - this.#waiting) * sampleWeight;
  }

  /** @param {number} time  Of a frame.  @param {boolean} isMoving  Whether another frame follows at once. */
  frame(time, isMoving) {
    const passed = time - this.#before;
    this.#before = isMoving ? time : Number.NEGATIVE_INFINITY;
    if (passed > 1 && passed < longestFrameInterval) this.#frame += (passed - this.#frame) * sampleWeight;
  }

  /** A painted preview is in the next frame, which is on screen one frame later. */
  get milliseconds() {
    return Math.min(longestLag, Math.round(this.#waiting + 2 * this.#frame));
  }
}
