import { isHuge } from '../showable.js';
import { chooseTiles, tilesToDrop } from './choice.js';
import { withRetries, isPassing } from './retries.js';
import { PyramidFile } from './pyramid-file.js';
import { TileLayer } from './tile-layer.js';
import { TileRequests } from './tile-requests.js';

/**
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {import('./tile-index.js').TileIndex} TileIndex
 * @typedef {import('../zoom.js').Zoom} Zoom
 */

/** How many tiles may be missing before the file is considered broken. */
const mostBroken = 3;

/**
 * The close-up of an image that has too many pixels to be displayed as a whole: the visible tiles of its pyramid, as
 * fine as the stage needs them.
 */
export class Pyramid {
  #layer = new TileLayer();
  #onFailure;
  #link = '';
  /** @type {PyramidFile | null} */
  #file = null;
  /** @type {TileIndex | null} */
  #index = null;
  /** @type {TileRequests | null} */
  #requests = null;
  /** Aborts reading the index. */
  #abort = new AbortController();
  #isOpening = false;
  /** The numbers of tiles that the browser could not decode; coarser ones lie below. @type {Set<number>} */
  #broken = new Set();
  /** The file has already been replaced once. */
  #isAnew = false;
  #hasFailed = false;
  /**
   * The present sight, with device pixels per CSS pixel; null while the steps have enough pixels.
   * @type {{zoom: Zoom, density: number} | null}
   */
  #view = null;
  /** @type {import('./choice.js').Choice | null} */
  #choice = null;
  #frame = 0;

  /** @param {() => void} onFailure  Called if there is no pyramid of the image. */
  constructor(onFailure) {
    this.#onFailure = onFailure;
  }

  /** The element with the tiles, as large as the image's box. */
  get element() {
    return this.#layer.element;
  }

  /**
   * Whether close-ups of the image come as tiles: it is huge, and has a pyramid.
   * @param {import('../../catalog/server.js').GalleryImage | null} image
   */
  isFor(image) {
    return isHuge(image) && !this.#hasFailed;
  }

  /**
   * Displays what the stage shows, sharp. May be called at any rate: tiles are chosen once a frame.
   * @param {string} link
   * @param {Zoom} zoom
   */
  update(link, zoom) {
    if (link !== this.#link) this.clear();
    this.#link = link;
    this.#view = { zoom, density: devicePixelRatio };
    if (this.#index) this.#frame ||= requestAnimationFrame(() => this.#choose());
    else this.#open();
  }

  /**
   * The steps have enough pixels: load nothing more, and keep what is here.
   * @param {Zoom} zoom
   */
  rest(zoom) {
    this.#stop();
    if (this.#index) this.#layer.resize(this.#index, zoom.box);
  }

  #stop() {
    this.#view = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#requests?.want([]);
  }

  /** Another image is current; the index is kept for a return. */
  leave() {
    this.#stop();
    this.#abort.abort();
    this.#isOpening = false;
    this.#choice = null;
    this.#layer.remove(this.#layer.tiles);
  }

  /** Clears the pyramid for another image, or none. */
  clear() {
    this.leave();
    this.#link = '';
    this.#file = null;
    this.#index = null;
    this.#requests = null;
    this.#broken.clear();
    this.#isAnew = false;
    this.#hasFailed = false;
  }

  async #open() {
    if (this.#isOpening || this.#hasFailed) return;
    this.#isOpening = true;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const file = new PyramidFile(this.#link);
    try {
      const index = await withRetries(() => file.index(signal), signal);
      if (signal.aborted) return;
      this.#file = file;
      this.#index = index;
      this.#requests = new TileRequests({
        file,
        onTile: (tile, piece, tileSignal) => this.#show(index, tile, piece, tileSignal),
        onProblem: (problem) => this.#file === file && this.#missed(problem),
      });
      this.#isOpening = false;
      this.#choose();
    } catch (problem) {
      if (signal.aborted) return;
      this.#isOpening = false;
      // After enough retries the next movement tries again.
      if (!isPassing(problem)) this.#missed(problem);
    }
  }

  #choose() {
    this.#frame = 0;
    const index = this.#index;
    if (!index || !this.#view) return;
    const { zoom, density } = this.#view;
    this.#layer.resize(index, zoom.box);
    this.#choice = this.#without(chooseTiles(index, zoom, density));
    this.#prune(index);
    this.#requests?.want(this.#choice.tiles.filter(({ number }) => !this.#layer.has(number)));
  }

  /**
   * Leaves out the tiles that cannot be loaded.
   * @param {import('./choice.js').Choice} choice
   */
  #without({ level, tiles, seen }) {
    const isWhole = (/** @type {Tile} */ { number }) => !this.#broken.has(number);
    return { level, tiles: tiles.filter(isWhole), seen: tiles.slice(0, seen).filter(isWhole).length };
  }

  /**
   * @param {TileIndex} index
   * @param {Tile} tile
   * @param {Blob} piece
   * @param {AbortSignal} signal
   */
  async #show(index, tile, piece, signal) {
    const element = new Image();
    const address = URL.createObjectURL(piece);
    element.src = address;
    try {
      await element.decode();
    } catch (problem) {
      if (signal.aborted || index !== this.#index) return;
      this.#broken.add(tile.number);
      if (this.#broken.size > mostBroken) throw problem;
      if (this.#choice) this.#choice = this.#without(this.#choice);
      return;
    } finally {
      URL.revokeObjectURL(address);
    }
    // Tiles are blended additively, so none may be there twice.
    if (signal.aborted || index !== this.#index || this.#layer.has(tile.number)) return;
    this.#layer.add(index, tile, element);
    this.#prune(index);
  }

  /** @param {TileIndex} index */
  #prune(index) {
    if (!this.#choice || !this.#view) return;
    this.#layer.remove(tilesToDrop(index, this.#view.zoom, this.#choice, this.#layer.tiles));
  }

  /** @param {unknown} problem  A permanent one. */
  #missed(problem) {
    const [link, view, isAnew] = [this.#link, this.#view, this.#isAnew];
    this.clear();
    this.#link = link;
    if (PyramidFile.isChange(problem) && !isAnew && view) {
      this.#isAnew = true;
      this.update(link, view.zoom);
    } else {
      this.#hasFailed = true;
      this.#onFailure();
    }
  }
}
