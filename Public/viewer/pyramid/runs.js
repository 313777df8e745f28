/**
 * Combines tiles that are adjacent in the file into one request. Pure.
 *
 * @typedef {import('./tile-index.js').Tile} Tile
 */

/** A single request for all would make the most urgent tile wait for the rest. */
const mostTiles = 4;

/**
 * The first tile, which is the most urgent, with those adjacent to it in the file.
 * @param {Tile[]} tiles  At least one.
 * @returns {Tile[]}  In the sequence of the file, without gaps.
 */
export function firstRun(tiles) {
  const run = [tiles[0]];
  const byOffset = new Map(tiles.map((tile) => [tile.offset, tile]));
  const byEnd = new Map(tiles.map((tile) => [endOf(tile), tile]));
  while (run.length < mostTiles) {
    const next = byOffset.get(endOf(run[run.length - 1]));
    const previous = byEnd.get(run[0].offset);
    if (!next && !previous) break;
    if (next) run.push(next);
    if (previous && run.length < mostTiles) run.unshift(previous);
  }
  return run;
}

/** @param {Tile} tile */
export function endOf({ offset, length }) {
  return offset + length;
}
