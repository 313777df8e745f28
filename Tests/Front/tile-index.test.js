import assert from 'node:assert/strict';
import { test } from 'node:test';

import { lengthOfIndex, readIndex, tileAt } from '../../Public/viewer/pyramid/tile-index.js';
import { dice } from './dice.js';
import { madePyramid } from './made-pyramid.js';

const read = ({ bytes, size }) => readIndex(bytes, size);

test('each level is half of the previous one, rounded up, down to the size of the largest step', () => {
  const { side, levels } = read(madePyramid({ width: 7_201, height: 5_000 }));
  assert.equal(side, 512);
  assert.deepEqual(levels.map(({ width, height, columns, rows, first }) => [width, height, columns, rows, first]), [
    [7_201, 5_000, 15, 10, 0],
    [3_601, 2_500, 8, 5, 150],
    [1_801, 1_250, 4, 3, 190],
  ]);
});

test('an image no larger than the largest step has one level', () => {
  assert.deepEqual(read(madePyramid({ width: 2_560, height: 1 })).levels.length, 1);
  assert.deepEqual(read(madePyramid({ width: 2_561, height: 1 })).levels.length, 2);
});

test('a tile has its position in the image and in the file', () => {
  const index = read(madePyramid({ width: 5_000, height: 3_000 }));
  const { length } = madePyramid({ width: 5_000, height: 3_000 });
  assert.deepEqual(tileAt(index, 0, 0, 0),
    { number: 0, level: 0, x: 0, y: 0, width: 512, height: 512, offset: length, length: 100 });
  assert.deepEqual(tileAt(index, 0, 9, 5), { number: 59, level: 0, x: 4_608, y: 2_560, width: 392, height: 440,
    offset: length + 5_900, length: 100 });
  assert.deepEqual(tileAt(index, 1, 4, 2), { number: 74, level: 1, x: 2_048, y: 1_024, width: 452, height: 476,
    offset: length + 7_400, length: 100 });
});

test('the tiles of every level cover it exactly, on whichever side the narrow ones are', () => {
  for (const flags of [0, 1, 2, 3]) {
    const index = read(madePyramid({ width: 4_999, height: 3_001, flags }));
    let looked = 0;
    index.levels.forEach(({ width, height, columns, rows }, level) => {
      const tiles = Array.from({ length: columns * rows }, (_, at) =>
        tileAt(index, level, at % columns, Math.floor(at / columns)));
      looked += tiles.length;
      assert.equal(tiles.reduce((sum, tile) => sum + tile.width * tile.height, 0), width * height);
      for (const tile of tiles) {
        assert.ok(tile.width > 0 && tile.width <= 512 && tile.height > 0 && tile.height <= 512);
        assert.ok(tile.x >= 0 && tile.x + tile.width <= width && tile.y >= 0 && tile.y + tile.height <= height);
      }
      const [narrow, low] = [tiles[flags & 1 ? 0 : columns - 1], tiles[flags & 2 ? 0 : tiles.length - 1]];
      assert.equal(narrow.width, width - 512 * (columns - 1));
      assert.equal(low.height, height - 512 * (rows - 1));
      assert.equal(tiles[1].x, flags & 1 ? narrow.width : 512);
    });
    assert.equal(looked, 60 + 15);
  }
});

test('the length of the index is known from the head', () => {
  const { bytes, length } = madePyramid({ width: 20_000, height: 14_000 });
  assert.equal(lengthOfIndex(bytes.slice(0, 24)), length);
});

test('the index for 280 megapixels comes with the first piece', () => {
  assert.ok(madePyramid({ width: 20_000, height: 14_000 }).length < 32_768);
});

const size = { width: 5_000, height: 3_000 };

test('tiles may lie in the file in any sequence, with gaps', () => {
  const { length, count } = madePyramid(size);
  const tiles = Array.from({ length: count }, (_, at) => [length + (count - at) * 1_000, 7]);
  const index = readIndex(madePyramid(size, { tiles }).bytes, length + (count + 1) * 1_000);
  assert.deepEqual([index.offsets[0], index.lengths[0]], tiles[0]);
});

const first = madePyramid(size).length;
const hostile = {
  'something else': { magic: '\xff\xd8\xff\xe0' },
  'another version': { version: 2 },
  'no width': { width: 0 },
  'no height': { height: 0 },
  'another width': { width: 50_000 },
  'more pixels than possible': { width: 0xffff_ffff, height: 0xffff_ffff },
  'an endless line': { width: 0xffff_ffff, height: 1 },
  'tiles of no size': { side: 0 },
  'tiles of a pixel': { side: 1 },
  'tiles as large as pictures': { side: 65_535 },
  'no level': { levels: 0 },
  'too many levels': { levels: 9 },
  'unknown flags': { flags: 4 },
  'an index of no length': { length: 0 },
  'an endless index': { length: 0xffff_ffff },
  'a tile in the head': { tiles: { 3: [0, 100] } },
  'a tile in the index': { tiles: { 3: [first - 1, 100] } },
  'a tile in another': { tiles: { 3: [first + 299, 100] } },
  'a tile that is another': { tiles: { 3: [first + 200, 100] } },
  'a tile beyond the end': { tiles: { 3: [0xffff_ffff, 1] } },
  'a tile that reaches beyond the end': { tiles: { 74: [first + 7_400, 101] } },
  'a tile without bytes': { tiles: { 3: [first + 300, 0] } },
  'a tile of four gigabytes': { tiles: { 3: [first + 300, 0xffff_ffff] } },
};

for (const [what, changes] of Object.entries(hostile)) {
  test(`${what} is not a pyramid`, () => {
    const { size: bytes } = madePyramid(size);
    const expected = { name: 'RangeError', message: /^Not a pyramid/ };
    assert.throws(() => readIndex(madePyramid(size, changes).bytes, bytes), expected);
  });
}

test('a truncated file is not a pyramid', () => {
  const { bytes, size: whole, length } = madePyramid(size);
  for (let end = 0; end < length; end += 1) assert.throws(() => readIndex(bytes.slice(0, end), whole), RangeError);
  assert.throws(() => readIndex(bytes, length - 1), RangeError);
  assert.throws(() => readIndex(bytes, whole - 1), RangeError);
  for (let end = 0; end < 24; end += 1) assert.throws(() => lengthOfIndex(bytes.slice(0, end)), RangeError);
});

test('a file with any bytes changed is quickly read as a pyramid or refused', () => {
  const roll = dice(2_024);
  const { bytes, size: whole } = madePyramid(size);
  let refused = 0;
  for (let turn = 0; turn < 3_000; turn += 1) {
    const changed = new Uint8Array(bytes.slice(0));
    for (let change = 0; change <= turn % 4; change += 1) {
      changed[roll(0, (turn % 2 ? 24 : changed.length) - 1)] = roll(0, 255);
    }
    try {
      const { levels, offsets, lengths } = readIndex(changed.buffer, whole);
      assert.equal(offsets.length, levels.reduce((sum, { columns, rows }) => sum + columns * rows, 0));
      assert.ok(offsets.every((offset, at) => offset + lengths[at] <= whole));
    } catch (error) {
      assert.equal(error.name, 'RangeError', error.stack);
      refused += 1;
    }
  }
  assert.ok(refused > 1_500, `${refused} of 3,000 were refused`);
});
