/** @typedef {{bytes: number, used: number}} Mark */

/**
 * What is on a shelf: which keys, how large, and when each was used last. Bounded in bytes and in number, for a shelf of
 * small things would have more marks than a page has memory for; the least recently used go first.
 */
export class Marks {
  /** Room is made for a tenth more than is needed, so that it is not made again at once. */
  static #slack = 0.1;

  /**
   * In order of use, the least recent first.
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

  /** The least recently used first. */
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
   * The newest from now on.
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

  /** Forgets everything. Gives the keys that there were. */
  clear() {
    const keys = [...this.#byKey.keys()];
    this.#byKey.clear();
    this.#bytes = 0;
    return keys;
  }

  /** There is less room than was thought: half of what is there now. */
  shrink() {
    this.#budget = Math.min(this.#budget, this.#bytes) / 2;
  }

  /**
   * The keys that have to go, the least recently used first; none while everything fits.
   * @returns {string[]}
   */
  excess() {
    if (this.#bytes <= this.#budget && this.#byKey.size <= this.#most) return [];
    const [budget, most] = [this.#budget * (1 - Marks.#slack), this.#most * (1 - Marks.#slack)];
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
