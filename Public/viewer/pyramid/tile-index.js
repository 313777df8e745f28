/**
 * Parses the head of a pyramid file: an image in several sizes, each cut into tiles, and the position of each tile in
 * the file. Pure. All numbers are little endian.
 *
 * @typedef {{width: number, height: number, columns: number, rows: number, left: number, top: number, first: number}}
 *   Level  The image in one size, in pixels. `left` and `top`: where its grid of tiles starts; negative if the first
 *   ones are the narrow ones. `first`: the number of its first tile.
 * @typedef {{side: number, levels: Level[], offsets: Uint32Array, lengths: Uint32Array}} TileIndex  `side`: of a tile,
 *   in pixels. `levels`: the finest first, each half as large as the previous one. Tiles are numbered through all
 *   levels.
 * @typedef {{number: number, level: number, x: number, y: number, width: number, height: number, offset: number,
 *   length: number}} Tile  Position and size in pixels of its level, offset and length in bytes of the file.
 */

const magic = 0x50525354; // TSRP
const version = 1;
const bytesOfHead = 24;
const bytesOfEntry = 8;
const knownFlags = 0b11;
/** The coarsest level is the first that is no larger. Pixels of the longer side. */
const coarsest = 2_560;
/** Pixels. Smaller tiles would be too small for a request, larger ones take long to decode. */
const sides = { least: 128, most: 1_024 };
/** Enough for an image of 30 gigapixels; a file that claims more must not use up the page's memory. */
const mostTiles = 131_072;
/** The pixels of a tile without any compression, and a JPEG's other segments. */
const mostBytes = (/** @type {number} */ side) => side * side * 4 + 65_536;

/**
 * The bytes of head and index together.
 * @param {ArrayBuffer} bytes  The beginning of a file.
 * @returns {number}
 */
export function lengthOfIndex(bytes) {
  return readHead(bytes).length;
}

/**
 * @param {ArrayBuffer} bytes  The beginning of a file, at least up to the end of its index.
 * @param {number} size  Of the whole file, in bytes.
 * @returns {TileIndex}
 */
export function readIndex(bytes, size) {
  const { side, levels, count, length } = readHead(bytes);
  demand(bytes.byteLength >= length && size >= length, 'it ends within its index');
  const view = new DataView(bytes, bytesOfHead);
  const offsets = new Uint32Array(count);
  const lengths = new Uint32Array(count);
  for (let number = 0; number < count; number += 1) {
    offsets[number] = view.getUint32(number * bytesOfEntry, true);
    lengths[number] = view.getUint32(number * bytesOfEntry + 4, true);
    demand(lengths[number] > 0 && lengths[number] <= mostBytes(side), 'a tile has an impossible length');
  }
  demandApart(offsets, lengths, { first: length, end: size });
  return { side, levels, offsets, lengths };
}

/**
 * @param {TileIndex} index
 * @param {number} level
 * @param {number} column
 * @param {number} row
 * @returns {Tile}
 */
export function tileAt({ side, levels, offsets, lengths }, level, column, row) {
  const { width, height, columns, left, top, first } = levels[level];
  const number = first + row * columns + column;
  const [x, y] = [Math.max(0, left + side * column), Math.max(0, top + side * row)];
  return {
    number,
    level,
    x,
    y,
    width: Math.min(width, left + side * (column + 1)) - x,
    height: Math.min(height, top + side * (row + 1)) - y,
    offset: offsets[number],
    length: lengths[number],
  };
}

/** @param {ArrayBuffer} bytes */
function readHead(bytes) {
  demand(bytes.byteLength >= bytesOfHead, 'it ends within its head');
  const view = new DataView(bytes);
  demand(view.getUint32(0, true) === magic, 'it is something else');
  demand(view.getUint16(4, true) === version, 'it is of another version');
  const side = view.getUint16(6, true);
  demand(side >= sides.least && side <= sides.most, 'its tiles have an impossible size');
  const [width, height] = [view.getUint32(8, true), view.getUint32(12, true)];
  demand(width > 0 && height > 0, 'it has no pixels');
  const flags = view.getUint8(18);
  demand((flags & ~knownFlags) === 0, 'it has unknown flags');
  const { levels, count } = layOut({ width, height, side, flags });
  demand(view.getUint16(16, true) === levels.length, 'it has another number of levels than its size needs');
  const length = view.getUint32(20, true);
  demand(length === bytesOfHead + count * bytesOfEntry, 'its index has another length than its size needs');
  return { side, levels, count, length };
}

/** @param {{width: number, height: number, side: number, flags: number}} head */
function layOut({ width, height, side, flags }) {
  /** @type {Level[]} */
  const levels = [];
  let count = 0;
  for (let factor = 1; ; factor *= 2) {
    const [across, down] = [Math.ceil(width / factor), Math.ceil(height / factor)];
    const [columns, rows] = [Math.ceil(across / side), Math.ceil(down / side)];
    const left = flags & 1 ? across - columns * side : 0;
    const top = flags & 2 ? down - rows * side : 0;
    levels.push({ width: across, height: down, columns, rows, left, top, first: count });
    count += columns * rows;
    demand(count <= mostTiles, 'it has too many tiles');
    if (Math.max(across, down) <= coarsest) return { levels, count };
  }
}

/**
 * Tiles may lie in any sequence, but not within the index, within one another or beyond the end.
 * @param {Uint32Array} offsets
 * @param {Uint32Array} lengths
 * @param {{first: number, end: number}} bounds
 */
function demandApart(offsets, lengths, { first, end }) {
  const inOrder = Uint32Array.from(offsets.keys()).sort((one, other) => offsets[one] - offsets[other]);
  let free = first;
  for (const number of inOrder) {
    demand(offsets[number] >= free, 'a tile lies in another, or in the index');
    free = offsets[number] + lengths[number];
  }
  demand(free <= end, 'a tile lies beyond the end');
}

/**
 * @param {boolean} isSo
 * @param {string} fault
 */
function demand(isSo, fault) {
  if (!isSo) throw new RangeError(`Not a pyramid: ${fault}`);
}
