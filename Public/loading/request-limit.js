import { byUrgency } from './slot.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {{slot: Slot, token: string, key: string, rendition: Rendition, display: number, purpose: 'visible' |
 *   'prefetch', send: () => Promise<void>, giveWay: () => void}} Job  `send` settles when its response has been read
 *   completely.
 */

/** A browser has six connections to an HTTP/1.1 server; the sixth is for pages, tokens and cancellations. */
const mostRequests = 5;
/** How many of the running requests may be prefetches. */
const mostPrefetches = 2;
/** A request that has taken this long gives way if others are waiting. Milliseconds. */
const giveWayAfter = 5_000;

/**
 * Limits how many requests run at once, with a queue. The next job is chosen when a request ends: visible slots before
 * prefetched ones, near before far.
 */
export class RequestLimit {
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
   * @returns {boolean}  False if it is already running; its permit is free when its request has ended.
   */
  withdraw(job) {
    return this.#waiting.delete(job);
  }

  /**
   * The queued jobs that were meant as prefetches and are visible now.
   * @returns {Job[]}
   */
  overtaken() {
    return [...this.#waiting].filter((job) => job.purpose === 'prefetch' && job.slot.rank().purpose === 'visible');
  }

  fill() {
    while (this.#running.size < mostRequests) {
      const job = this.#next();
      if (!job) return;
      this.#run(job);
    }
  }

  #next() {
    if (this.#waiting.size === 0) return undefined;
    const [first] = [...this.#waiting].sort((one, other) => byUrgency(one.slot, other.slot));
    const isAhead = first.slot.rank().purpose === 'prefetch';
    return isAhead && this.#prefetching() >= mostPrefetches ? undefined : first;
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
    }, giveWayAfter);
    await job.send();
    clearInterval(watch);
    this.#running.delete(job);
    this.fill();
  }
}
