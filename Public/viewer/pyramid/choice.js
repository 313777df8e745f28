import { tileAt } from './tile-index.js';

/**
 * Chooses the tiles of a pyramid that are in view. Pure.
 *
 * @typedef {import('./tile-index.js').TileIndex} TileIndex
 * @typedef {import('./tile-index.js').Tile} Tile
 * @typedef {import('../zoom.js').Zoom} Zoom
 * @typedef {{left: number, top: number, right: number, bottom: number}} Area  Shares of the image's width and height.
 * @typedef {{level: number, tiles: Tile[], seen: number}} Choice  `tiles`: the visible ones, then those around them,
 *   each group from the middle outwards. `seen`: the number of visible ones.
 */

/** The most tiles in the document (100 MB of pixels), unless more are visible at once. */
export const mostTiles = 96;
/** The most visible tiles (200 MB of pixels); a stage that would need more gets a coarser level. */
const mostSeen = 192;
/** How far around the visible area tiles are loaded, in tiles: for small movements. */
const margin = 0.5;
/** The box is rounded to CSS pixels, so a level with almost a pixel per device pixel is enough. */
const tolerance = 1.005;

/**
 * @param {TileIndex} index
 * @param {Pick<Zoom, 'stage' | 'box' | 'scale' | 'x' | 'y'>} zoom
 * @param {number} density  Device pixels per CSS pixel.
 * @returns {Choice}
 */
export function chooseTiles(index, zoom, density) {
  const area = areaSeen(zoom);
  const longer = Math.max(zoom.box.width, zoom.box.height);
  for (let level = levelFor(index, longer * zoom.scale * density); ; level += 1) {
    const seen = tilesIn(index, level, area, 0);
    if (seen.length > mostSeen && level + 1 < index.levels.length) continue;
    const numbers = new Set(seen.map(({ number }) => number));
    const around = tilesIn(index, level, area, margin).filter(({ number }) => !numbers.has(number));
    const room = Math.max(0, mostTiles - seen.length);
    return { level, tiles: [...seen, ...around.slice(0, room)], seen: seen.length };
  }
}

/**
 * The coarsest level with so many pixels on its longer side, or the finest.
 * @param {TileIndex} index
 * @param {number} pixels
 */
export function levelFor({ levels }, pixels) {
  return Math.max(0, levels.findLastIndex(({ width, height }) => Math.max(width, height) * tolerance >= pixels));
}

/**
 * The visible area of the image.
 * @param {Pick<Zoom, 'stage' | 'box' | 'scale' | 'x' | 'y'>} zoom
 * @returns {Area}
 */
function areaSeen({ stage, box, scale, x, y }) {
  const share = (/** @type {number} */ at, /** @type {number} */ whole) => Math.min(1, Math.max(0, at / whole + 0.5));
  const [width, height] = [box.width * scale, box.height * scale];
  return {
    left: share(-stage.width / 2 - x, width),
    top: share(-stage.height / 2 - y, height),
    right: share(stage.width / 2 - x, width),
    bottom: share(stage.height / 2 - y, height),
  };
}

/**
 * The nearest to the middle first.
 * @param {TileIndex} index
 * @param {number} level
 * @param {Area} area
 * @param {number} around  In tiles.
 */
function tilesIn(index, level, area, around) {
  const { width, height, columns, rows, left, top } = index.levels[level];
  const spans = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ count) => ({
    first: Math.max(0, Math.floor(from - around)),
    end: Math.min(count, Math.ceil(to + around)),
  });
  const inTiles = (/** @type {number} */ pixels) => pixels / index.side;
  const across = spans(inTiles(area.left * width - left), inTiles(area.right * width - left), columns);
  const down = spans(inTiles(area.top * height - top), inTiles(area.bottom * height - top), rows);
  /** @type {Tile[]} */
  const tiles = [];
  for (let row = down.first; row < down.end; row += 1) {
    for (let column = across.first; column < across.end; column += 1) tiles.push(tileAt(index, level, column, row));
  }
  return byDistance(index, area, tiles);
}

/**
 * The tiles to remove from the document: those in excess, finer ones before coarser ones, which lie below, and the
 * farthest from the middle first; and those finer than the present level once that is complete.
 * @param {TileIndex} index
 * @param {Pick<Zoom, 'stage' | 'box' | 'scale' | 'x' | 'y'>} zoom
 * @param {Choice} choice
 * @param {Tile[]} shown
 * @returns {Tile[]}
 */
export function tilesToDrop(index, zoom, { level, tiles, seen }, shown) {
  const here = new Set(shown.map(({ number }) => number));
  const isAllThere = tiles.slice(0, seen).every(({ number }) => here.has(number));
  const chosen = new Set(tiles.map(({ number }) => number));
  const nearest = byDistance(index, areaSeen(zoom), shown);
  const of = (/** @type {(tile: Tile) => boolean} */ isMeant) =>
    nearest.filter((tile) => !chosen.has(tile.number) && isMeant(tile));
  const finer = of((tile) => tile.level < level);
  const others = [...of((tile) => tile.level === level), ...of((tile) => tile.level > level)];
  const room = Math.max(0, mostTiles - (nearest.length - finer.length - others.length));
  return isAllThere ? [...others.slice(room), ...finer] : [...others, ...finer].slice(room);
}

/**
 * @param {TileIndex} index
 * @param {Area} area
 * @param {Tile[]} tiles
 */
function byDistance({ levels }, { left, top, right, bottom }, tiles) {
  const [middle, centre] = [(left + right) / 2, (top + bottom) / 2];
  // In pixels of the finest level, so that tiles of all levels can be compared.
  const distanceOf = (/** @type {Tile} */ { level, x, y, width, height }) =>
    Math.hypot(
      ((x + width / 2) / levels[level].width - middle) * levels[0].width,
      ((y + height / 2) / levels[level].height - centre) * levels[0].height,
    );
  const far = new Map(tiles.map((tile) => [tile, distanceOf(tile)]));
  return [...tiles].sort((one, other) => Number(far.get(one)) - Number(far.get(other)));
}
