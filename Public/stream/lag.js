/**
 * How long after its coming a preview is on screen, told from how long it waits for the page and how often the page
 * paints. Pure: it is given times, and asks no clock. Milliseconds.
 */
export class Lag {
  /** The weight of one sample. */
  static #share = 1 / 8;
  /** Between two frames that are further apart the page had nothing to paint, or slept. */
  static #pause = 150;
  static #most = 500;

  #waiting = 8;
  #frame = 16;
  #before = Number.NEGATIVE_INFINITY;

  /** @param {number} passed  From the coming of a preview to its painting on a canvas. */
  shown(passed) {
    this.#waiting += (Math.min(Lag.#most, Math.max(0, passed)) - this.#waiting) * Lag.#share;
  }

  /** @param {number} time  Of a frame.  @param {boolean} isMoving  Whether the frame after it will come at once. */
  frame(time, isMoving) {
    const passed = time - this.#before;
    this.#before = isMoving ? time : Number.NEGATIVE_INFINITY;
    if (passed > 1 && passed < Lag.#pause) this.#frame += (passed - this.#frame) * Lag.#share;
  }

  /** What is painted is in the next frame, and that is on screen one later. */
  get milliseconds() {
    return Math.min(Lag.#most, Math.round(this.#waiting + 2 * this.#frame));
  }
}
