import { byUrgency } from './slot.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {{slot: Slot, token: string, key: string, rendition: Rendition, showing: number,
 *   purpose: 'visible' | 'prefetch', send: () => Promise<void>, giveWay: () => void}} Job  `send` settles when its answer has been read to the end.
 */

/**
 * The few places among the requests, and who waits for one. Who is next is decided when a place is free: what is on
 * screen before what is ahead, near before far.
 */
export class Places {
  /** A browser has six connections to an HTTP/1.1 server; the sixth is for pages, tokens and cancellations. */
  static count = 5;
  /** Of these, for slots that are not on screen yet. */
  static #forPrefetch = 2;
  /** A request that takes this long gives way if others wait for its place. Milliseconds. */
  static #patience = 5_000;

  /** @type {Set<Job>} */
  #waiting = new Set();
  /** @type {Set<Job>} */
  #running = new Set();

  /** @param {Job} job */
  add(job) {
    this.#waiting.add(job);
    this.fill();
  }

  /**
   * Takes the job out of the queue.
   * @param {Job} job
   * @returns {boolean}  False when it is under way already; its place is free when its request has ended.
   */
  withdraw(job) {
    return this.#waiting.delete(job);
  }

  /**
   * The jobs in the queue that were ordered ahead of need and are on screen now.
   * @returns {Job[]}
   */
  overtaken() {
    return [...this.#waiting].filter((job) => job.purpose === 'prefetch' && job.slot.rank().purpose === 'visible');
  }

  fill() {
    while (this.#running.size < Places.count) {
      const job = this.#next();
      if (!job) return;
      this.#run(job);
    }
  }

  #next() {
    if (this.#waiting.size === 0) return undefined;
    const [first] = [...this.#waiting].sort((one, other) => byUrgency(one.slot, other.slot));
    const isAhead = first.slot.rank().purpose === 'prefetch';
    return isAhead && this.#prefetching() >= Places.#forPrefetch ? undefined : first;
  }

  #prefetching() {
    return [...this.#running].filter((job) => job.slot.rank().purpose === 'prefetch').length;
  }

  /** @param {Job} job */
  async #run(job) {
    this.#waiting.delete(job);
    this.#running.add(job);
    const watch = setInterval(() => {
      if (this.#waiting.size > 0) job.giveWay();
    }, Places.#patience);
    await job.send();
    clearInterval(watch);
    this.#running.delete(job);
    this.fill();
  }
}
