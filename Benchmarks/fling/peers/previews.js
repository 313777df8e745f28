/**
 * Previews in static files, one per block of slots: two bytes with the length of each preview (big-endian), followed by
 * all previews. Fetches the blocks that the motion will reach soon; aborts those that it has passed.
 */
export class PreviewBlocks {
  /** How far ahead of the motion to fetch, in milliseconds. */
  static #ahead = 300;
  static #overscan = 2;

  #size;
  /** @type {Map<number, string[]>}  Data URLs by block. */
  #blocks = new Map();
  /** @type {Map<number, AbortController>} */
  #underWay = new Map();
  #grid;
  #gate;
  #onPreview;

  /** @param {number} size  The number of previews in a block. */
  constructor(size) {
    this.#size = size;
  }

  /**
   * @param {import('./grid.js').Grid} grid
   * @param {import('./velocity.js').VelocityGate} gate
   * @param {(index: number) => void} onPreview  Called when the preview of a slot is available.
   */
  start(grid, gate, onPreview) {
    this.#grid = grid;
    this.#gate = gate;
    this.#onPreview = onPreview;
    gate.start(() => this.#update());
    this.#update();
  }

  /**
   * @param {number} index
   * @returns {HTMLImageElement | null}  An image that is being decoded.
   */
  imageOf(index) {
    const url = this.#blocks.get(Math.floor(index / this.#size))?.[index % this.#size];
    if (!url) return null;
    const image = new Image();
    // Pictures this small can be decoded during painting.
    image.decoding = 'sync';
    image.src = url;
    return image;
  }

  #update() {
    const ahead = this.#gate.velocity * PreviewBlocks.#ahead;
    const slots = [...this.#grid.slotsAt(scrollY, PreviewBlocks.#overscan), ...this.#grid.slotsAt(scrollY + ahead)];
    const first = Math.floor(Math.min(...slots) / this.#size);
    const last = Math.floor(Math.min(this.#grid.total - 1, Math.max(...slots)) / this.#size);
    for (const [number, abort] of [...this.#underWay]) {
      if (number >= first && number <= last) continue;
      abort.abort();
      this.#underWay.delete(number);
    }
    for (let number = first; number <= last; number += 1) {
      if (!this.#blocks.has(number) && !this.#underWay.has(number)) this.#load(number);
    }
  }

  async #load(number) {
    const abort = new AbortController();
    this.#underWay.set(number, abort);
    try {
      const response = await fetch(`/previews/${number}.bin`, { signal: abort.signal });
      if (!response.ok) throw new Error(`${response.status}`);
      this.#blocks.set(number, this.#read(await response.arrayBuffer()));
      for (let slot = 0; slot < this.#size; slot += 1) this.#onPreview(number * this.#size + slot);
    } catch {
      // Requested again when needed again.
    } finally {
      if (this.#underWay.get(number) === abort) this.#underWay.delete(number);
    }
  }

  /** @param {ArrayBuffer} file */
  #read(file) {
    const view = new DataView(file);
    let at = 2 * this.#size;
    return Array.from({ length: this.#size }, (_, slot) => {
      const bytes = new Uint8Array(file, at, view.getUint16(2 * slot));
      at += bytes.length;
      return `data:image/webp;base64,${btoa(String.fromCharCode(...bytes))}`;
    });
  }
}
