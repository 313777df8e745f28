/**
 * The time from a preview's arrival until it is on screen, estimated from its wait for the page and the page's frame
 * rate. Pure: it is given times, and reads no clock. Milliseconds.
 */
export class Lag {
  /** The weight of one sample. */
  static #share = 1 / 8;
  /** A longer interval between frames means that the page had nothing to paint, or slept. */
  static #pause = 150;
  static #most = 500;

  #waiting = 8;
  #frame = 16;
  #before = Number.NEGATIVE_INFINITY;

  /** @param {number} passed  From a preview's arrival until it was painted. */
  shown(passed) {
    this.#waiting += (Math.min(Lag.#most, Math.max(0, passed)) - this.#waiting) * Lag.#share;
  }

  /** @param {number} time  Of a frame.  @param {boolean} isMoving  Whether another frame follows at once. */
  frame(time, isMoving) {
    const passed = time - this.#before;
    this.#before = isMoving ? time : Number.NEGATIVE_INFINITY;
    if (passed > 1 && passed < Lag.#pause) this.#frame += (passed - this.#frame) * Lag.#share;
  }

  /** A painted preview is in the next frame, which is on screen one frame later. */
  get milliseconds() {
    return Math.min(Lag.#most, Math.round(this.#waiting + 2 * this.#frame));
  }
}
