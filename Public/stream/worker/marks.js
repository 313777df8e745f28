/** @typedef {{bytes: number, used: number}} Mark */

/** Evicts this much more than necessary, as a share, so that the next eviction is not due at once. */
const slack = 0.1;

/**
 * The index of the tile cache: keys, sizes, and times of last use. Bounded in bytes and in number, because many small
 * entries would need more index memory than a page has; the least recently used are evicted first.
 */
export class Marks {
  /**
   * Least recently used first.
   * @type {Map<string, Mark>}
   */
  #byKey = new Map();
  #bytes = 0;
  #budget;
  #most;

  /**
   * @param {number} budget  Bytes.
   * @param {number} most
   */
  constructor(budget, most) {
    this.#budget = budget;
    this.#most = most;
  }

  get bytes() {
    return this.#bytes;
  }

  get size() {
    return this.#byKey.size;
  }

  /** Least recently used first. */
  get keys() {
    return this.#byKey.keys();
  }

  /** @param {string} key */
  has(key) {
    return this.#byKey.has(key);
  }

  /** @param {string} key */
  get(key) {
    return this.#byKey.get(key);
  }

  /**
   * Adds the key as the most recently used.
   * @param {string} key
   * @param {Mark} mark
   */
  set(key, mark) {
    this.delete(key);
    this.#byKey.set(key, mark);
    this.#bytes += mark.bytes;
  }

  /** @param {string} key */
  delete(key) {
    const mark = this.#byKey.get(key);
    if (!mark) return undefined;
    this.#byKey.delete(key);
    this.#bytes -= mark.bytes;
    return mark;
  }

  /** Removes everything, and returns the keys that were there. */
  clear() {
    const keys = [...this.#byKey.keys()];
    this.#byKey.clear();
    this.#bytes = 0;
    return keys;
  }

  /** There is less room than expected: halve the budget in use. */
  shrink() {
    this.#budget = Math.min(this.#budget, this.#bytes) / 2;
  }

  /**
   * The keys to evict, the least recently used first; empty while everything fits.
   * @returns {string[]}
   */
  excess() {
    if (this.#bytes <= this.#budget && this.#byKey.size <= this.#most) return [];
    const [budget, most] = [this.#budget * (1 - slack), this.#most * (1 - slack)];
    let [bytes, size] = [this.#bytes, this.#byKey.size];
    const keys = [];
    for (const [key, mark] of this.#byKey) {
      if (bytes <= budget && size <= most) break;
      keys.push(key);
      bytes -= mark.bytes;
      size -= 1;
    }
    return keys;
  }
}
