import { isHuge } from '../showable.js';
import { chooseTiles, tilesToDrop } from './choice.js';
import { insist, isPassing } from './insistence.js';
import { PyramidFile } from './pyramid-file.js';
import { TileLayer } from './tile-layer.js';
import { TileRequests } from './tile-requests.js';

/**
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {import('./tile-index.js').TileIndex} TileIndex
 * @typedef {import('../zoom.js').Zoom} Zoom
 */

/**
 * What is looked at of a picture that has too many pixels to be shown as one: the tiles of its pyramid that lie on the
 * stage, as fine as the stage needs them.
 */
export class Pyramid {
  /** So many tiles may be missing; of more, the file is at fault. */
  static #mostBroken = 3;

  #layer = new TileLayer();
  #onFailure;
  #link = '';
  /** @type {PyramidFile | null} */
  #file = null;
  /** @type {TileIndex | null} */
  #index = null;
  /** @type {TileRequests | null} */
  #requests = null;
  /** Ends what is under way for the index. */
  #abort = new AbortController();
  #isOpening = false;
  /** The numbers of tiles that the browser could not decode: what is coarser lies beneath. @type {Set<number>} */
  #broken = new Set();
  /** The file was made anew once already. */
  #isAnew = false;
  #hasFailed = false;
  /**
   * What is looked at, and by how many device pixels for each CSS pixel; null while the steps have enough.
   * @type {{zoom: Zoom, density: number} | null}
   */
  #look = null;
  /** @type {import('./choice.js').Choice | null} */
  #choice = null;
  #frame = 0;

  /** @param {() => void} onFailure  Called when there is no pyramid of the picture to be had. */
  constructor(onFailure) {
    this.#onFailure = onFailure;
  }

  /** Where the tiles are, as large as the box of the picture. */
  get element() {
    return this.#layer.element;
  }

  /**
   * Whether the picture comes in tiles where it is looked at closely: it is huge, and there is a pyramid of it.
   * @param {import('../../catalog/server.js').GalleryImage | null} image
   */
  isFor(image) {
    return isHuge(image) && !this.#hasFailed;
  }

  /**
   * Shows what the stage shows, sharp. Called as often as one likes: tiles are chosen once for each frame.
   * @param {string} link
   * @param {Zoom} zoom
   */
  look(link, zoom) {
    if (link !== this.#link) this.clear();
    this.#link = link;
    this.#look = { zoom, density: devicePixelRatio };
    if (this.#index) this.#frame ||= requestAnimationFrame(() => this.#choose());
    else this.#open();
  }

  /**
   * The steps have enough pixels for what is looked at: nothing more is to come, and what is here may stay.
   * @param {Zoom} zoom
   */
  rest(zoom) {
    this.#stop();
    if (this.#index) this.#layer.resize(this.#index, zoom.box);
  }

  #stop() {
    this.#look = null;
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#requests?.want([]);
  }

  /** Another picture is looked at; who comes back finds where the tiles are. */
  leave() {
    this.#stop();
    this.#abort.abort();
    this.#isOpening = false;
    this.#choice = null;
    this.#layer.remove(this.#layer.tiles);
  }

  /** Another picture is to be here, or none. */
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
      const index = await insist(() => file.index(signal), signal);
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
      // Who waited in vain long enough asks again by moving on.
      if (!isPassing(problem)) this.#missed(problem);
    }
  }

  #choose() {
    this.#frame = 0;
    const index = this.#index;
    if (!index || !this.#look) return;
    const { zoom, density } = this.#look;
    this.#layer.resize(index, zoom.box);
    this.#choice = this.#without(chooseTiles(index, zoom, density));
    this.#prune(index);
    this.#requests?.want(this.#choice.tiles.filter(({ number }) => !this.#layer.has(number)));
  }

  /**
   * What is not to be had is not waited for.
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
      if (this.#broken.size > Pyramid.#mostBroken) throw problem;
      if (this.#choice) this.#choice = this.#without(this.#choice);
      return;
    } finally {
      URL.revokeObjectURL(address);
    }
    // Light is added where tiles lie on each other, and so none may be there twice.
    if (signal.aborted || index !== this.#index || this.#layer.has(tile.number)) return;
    this.#layer.add(index, tile, element);
    this.#prune(index);
  }

  /** @param {TileIndex} index */
  #prune(index) {
    if (!this.#choice || !this.#look) return;
    this.#layer.remove(tilesToDrop(index, this.#look.zoom, this.#choice, this.#layer.tiles));
  }

  /** @param {unknown} problem  One that will not pass. */
  #missed(problem) {
    const [link, look, isAnew] = [this.#link, this.#look, this.#isAnew];
    this.clear();
    this.#link = link;
    if (PyramidFile.isChange(problem) && !isAnew && look) {
      this.#isAnew = true;
      this.look(link, look.zoom);
    } else {
      this.#hasFailed = true;
      this.#onFailure();
    }
  }
}
