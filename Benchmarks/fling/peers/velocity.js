/** Tells how fast the page is scrolled, from frame to frame; closed while that is too fast to ask for tiles. */
export class VelocityGate {
  /** Milliseconds over which the velocity is taken. */
  static #memory = 80;
  /** So many frames without movement are a stop. */
  static #still = 2;

  #most;
  /** @type {(() => void)[]} */
  #listeners = [];
  /** @type {{time: number, place: number}[]} */
  #samples = [];
  #stillFrames = 0;
  #isLooking = false;
  /** Pixels a millisecond, positive towards the end; 0 at rest. */
  velocity = 0;
  /** After a leap nobody knows yet whether it is a movement. */
  #isLeap = false;

  /** @param {number} most  Pixels a millisecond. */
  constructor(most) {
    this.#most = most;
  }

  get isClosed() {
    return this.#isLeap || Math.abs(this.velocity) > this.#most;
  }

  /** @param {() => void} onFrame  Is called for each frame while the page moves, and when it has come to rest. */
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
      // A leap that nothing follows was a jump.
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
