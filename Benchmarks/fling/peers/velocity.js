/** Measures the scroll velocity from frame to frame; closed while that is too high for requests of tiles. */
export class VelocityGate {
  /** The time over which the velocity is measured, in milliseconds. */
  static #memory = 80;
  /** This many frames without movement count as a stop. */
  static #still = 2;

  #most;
  /** @type {(() => void)[]} */
  #listeners = [];
  /** @type {{time: number, place: number}[]} */
  #samples = [];
  #stillFrames = 0;
  #isLooking = false;
  /** In pixels per millisecond, positive towards the end; 0 at rest. */
  velocity = 0;
  /** After a leap it is not known yet whether it belongs to a movement. */
  #isLeap = false;

  /** @param {number} most  The highest velocity at which the gate is open, in pixels per millisecond. */
  constructor(most) {
    this.#most = most;
  }

  get isClosed() {
    return this.#isLeap || Math.abs(this.velocity) > this.#most;
  }

  /** @param {() => void} onFrame  Called for each frame while the page moves, and when it has come to rest. */
  start(onFrame) {
    this.#listeners.push(onFrame);
    if (this.#listeners.length > 1) return;
    let place = scrollY;
    addEventListener('scroll', () => {
      if (this.#isLooking) return;
      this.#isLooking = true;
      this.#isLeap = Math.abs(scrollY - place) > this.#most * VelocityGate.#memory;
      this.#samples = [{ time: performance.now(), place: scrollY }];
      this.#stillFrames = 0;
      const look = (time) => {
        place = scrollY;
        this.#sample(time, place);
        for (const listener of this.#listeners) listener();
        if (this.#stillFrames < VelocityGate.#still) requestAnimationFrame(look);
        else this.#isLooking = false;
      };
      requestAnimationFrame(look);
    }, { passive: true });
  }

  #sample(time, place) {
    const last = this.#samples[this.#samples.length - 1];
    if (place === last.place) {
      this.#stillFrames += 1;
      // A leap without any further movement was a jump.
      if (this.#isLeap || this.#stillFrames >= VelocityGate.#still) this.velocity = 0;
    } else {
      this.#stillFrames = 0;
      this.#samples.push({ time, place });
      while (this.#samples.length > 2 && time - this.#samples[0].time > VelocityGate.#memory) this.#samples.shift();
      const [first] = this.#samples;
      this.velocity = (place - first.place) / Math.max(1, time - first.time);
    }
    this.#isLeap = false;
  }
}
