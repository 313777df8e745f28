import { withRetries, isPassing } from './retries.js';
import { endOf, firstRun } from './runs.js';

/**
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {{tiles: Tile[], abort: AbortController, isHere: boolean}} Request  `isHere`: its bytes have arrived and are
 *   being decoded.
 */

/** Requests at a time; leaves some of the browser's connections to the rest of the page. */
const mostRequests = 4;

/** Loads the visible tiles, the most urgent first, and aborts those that are no longer needed. */
export class TileRequests {
  #file;
  #onTile;
  #onProblem;
  /** @type {Tile[]} */
  #wanted = [];
  /** @type {Set<Request>} */
  #inFlight = new Set();

  /**
   * @param {{file: Pick<import('./pyramid-file.js').PyramidFile, 'read'>, onTile: (tile: Tile, piece: Blob, signal:
   *   AbortSignal) => Promise<void>, onProblem: (problem: unknown) => void}} parts  `onTile` settles when the tile is
   *   displayed. `onProblem` is called for permanent problems.
   */
  constructor({ file, onTile, onProblem }) {
    this.#file = file;
    this.#onTile = onTile;
    this.#onProblem = onProblem;
  }

  /** @param {Tile[]} tiles  All tiles needed, the most urgent first; requests for others are aborted. */
  want(tiles) {
    const wanted = new Set(tiles.map(({ number }) => number));
    for (const request of this.#inFlight) {
      if (request.tiles.some(({ number }) => wanted.has(number))) continue;
      this.#inFlight.delete(request);
      request.abort.abort();
    }
    this.#wanted = tiles;
    this.#fill();
  }

  #fill() {
    const coming = new Set([...this.#inFlight].flatMap(({ tiles }) => tiles.map(({ number }) => number)));
    this.#wanted = this.#wanted.filter(({ number }) => !coming.has(number));
    for (let free = mostRequests - this.#reading; free > 0 && this.#wanted.length > 0; free -= 1) {
      const tiles = firstRun(this.#wanted);
      this.#wanted = this.#wanted.filter((tile) => !tiles.includes(tile));
      this.#send({ tiles, abort: new AbortController(), isHere: false });
    }
  }

  get #reading() {
    return [...this.#inFlight].filter(({ isHere }) => !isHere).length;
  }

  /** @param {Request} request */
  async #send(request) {
    this.#inFlight.add(request);
    const { signal } = request.abort;
    try {
      const { tiles } = request;
      const from = tiles[0].offset;
      const bytes = await withRetries(() => this.#file.read(from, endOf(tiles[tiles.length - 1]) - from, signal), signal);
      request.isHere = true;
      if (!signal.aborted) this.#fill();
      const pieces = tiles.map((tile) => bytes.slice(tile.offset - from, endOf(tile) - from, 'image/jpeg'));
      await Promise.all(tiles.map((tile, at) => this.#onTile(tile, pieces[at], signal)));
    } catch (problem) {
      // After enough retries the next movement tries again.
      if (!signal.aborted && !isPassing(problem)) this.#onProblem(problem);
    }
    if (!this.#inFlight.delete(request)) return;
    this.#fill();
  }
}
