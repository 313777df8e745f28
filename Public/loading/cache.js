/**
 * @typedef {{url: string, blob: Blob, bytes: number, isIncomplete: boolean}} Picture  `url` is an object URL of `blob`,
 *   valid until the picture is evicted. `isIncomplete`: the file is truncated, and this is as much of it as exists.
 */

const defaultMostPictures = 6_000;

/**
 * Loaded pictures, cached so that scrolling back costs nothing. Bounded in bytes and in number; the least recently used
 * is evicted first, and its object URL is revoked.
 */
export class PictureCache {
  #budget;
  #most;
  #bytes = 0;
  /**
   * Least recently used first.
   * @type {Map<string, Picture>}
   */
  #pictures = new Map();

  /**
   * @param {number} [budget]  Bytes.
   * @param {number} [most]  The largest number of pictures.
   */
  constructor(budget = PictureCache.defaultBudget, most = defaultMostPictures) {
    this.#budget = budget;
    this.#most = most;
  }

  /** Pictures are cached encoded, so even the small budget holds thousands of tiles. */
  static get defaultBudget() {
    const mebibyte = 1_048_576;
    return (navigator.deviceMemory ?? 4) > 4 ? 160 * mebibyte : 64 * mebibyte;
  }

  /**
   * @param {string} key
   * @returns {Picture | undefined}
   */
  get(key) {
    const picture = this.#pictures.get(key);
    if (!picture) return undefined;
    this.#pictures.delete(key);
    this.#pictures.set(key, picture);
    return picture;
  }

  /**
   * @param {string} key
   * @param {Blob} blob
   * @param {boolean} [isIncomplete]
   * @returns {Picture}
   */
  put(key, blob, isIncomplete = false) {
    this.remove(key);
    const picture = { url: URL.createObjectURL(blob), blob, bytes: blob.size, isIncomplete };
    this.#pictures.set(key, picture);
    this.#bytes += picture.bytes;
    this.#evict(key);
    return picture;
  }

  /** @param {string} key */
  remove(key) {
    const picture = this.#pictures.get(key);
    if (!picture) return;
    this.#pictures.delete(key);
    this.#bytes -= picture.bytes;
    URL.revokeObjectURL(picture.url);
  }

  /** @param {string} newest  Kept even if it alone exceeds the budget: it is about to be displayed. */
  #evict(newest) {
    for (const key of this.#pictures.keys()) {
      if ((this.#bytes <= this.#budget && this.#pictures.size <= this.#most) || key === newest) return;
      this.remove(key);
    }
  }
}
