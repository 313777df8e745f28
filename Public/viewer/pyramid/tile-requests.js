import { insist, isPassing } from './insistence.js';
import { endOf, firstRun } from './runs.js';

/**
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {{tiles: Tile[], abort: AbortController, isHere: boolean}} Request  `isHere`: its bytes are, and are being
 *   decoded.
 */

/** Brings the tiles that are looked at, the most urgent first, and lets go of those that no longer are. */
export class TileRequests {
  /** As many as leave the connections of a browser something for the rest of the page. */
  static #most = 4;

  #file;
  #onTile;
  #onProblem;
  /** @type {Tile[]} */
  #wanted = [];
  /** @type {Set<Request>} */
  #underWay = new Set();

  /**
   * @param {{file: Pick<import('./pyramid-file.js').PyramidFile, 'read'>, onTile: (tile: Tile, piece: Blob,
   *   signal: AbortSignal) => Promise<void>, onProblem: (problem: unknown) => void}} parts  `onTile` is done when the
   *   tile is shown. `onProblem` is called for what will not pass.
   */
  constructor({ file, onTile, onProblem }) {
    this.#file = file;
    this.#onTile = onTile;
    this.#onProblem = onProblem;
  }

  /** @param {Tile[]} tiles  All that are to come, the most urgent first; others that were to come are let go of. */
  want(tiles) {
    const wanted = new Set(tiles.map(({ number }) => number));
    for (const request of this.#underWay) {
      if (request.tiles.some(({ number }) => wanted.has(number))) continue;
      this.#underWay.delete(request);
      request.abort.abort();
    }
    this.#wanted = tiles;
    this.#fill();
  }

  #fill() {
    const coming = new Set([...this.#underWay].flatMap(({ tiles }) => tiles.map(({ number }) => number)));
    this.#wanted = this.#wanted.filter(({ number }) => !coming.has(number));
    for (let free = TileRequests.#most - this.#reading; free > 0 && this.#wanted.length > 0; free -= 1) {
      const tiles = firstRun(this.#wanted);
      this.#wanted = this.#wanted.filter((tile) => !tiles.includes(tile));
      this.#send({ tiles, abort: new AbortController(), isHere: false });
    }
  }

  get #reading() {
    return [...this.#underWay].filter(({ isHere }) => !isHere).length;
  }

  /** @param {Request} request */
  async #send(request) {
    this.#underWay.add(request);
    const { signal } = request.abort;
    try {
      const { tiles } = request;
      const from = tiles[0].offset;
      const bytes = await insist(() => this.#file.read(from, endOf(tiles[tiles.length - 1]) - from, signal), signal);
      request.isHere = true;
      if (!signal.aborted) this.#fill();
      const pieces = tiles.map((tile) => bytes.slice(tile.offset - from, endOf(tile) - from, 'image/jpeg'));
      await Promise.all(tiles.map((tile, at) => this.#onTile(tile, pieces[at], signal)));
    } catch (problem) {
      // Who waited in vain long enough asks again by moving on.
      if (!signal.aborted && !isPassing(problem)) this.#onProblem(problem);
    }
    if (!this.#underWay.delete(request)) return;
    this.#fill();
  }
}
