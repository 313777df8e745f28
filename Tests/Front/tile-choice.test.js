import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseTiles, levelFor, mostTiles, tilesToDrop } from '../../Public/viewer/pyramid/choice.js';
import { readIndex, tileAt } from '../../Public/viewer/pyramid/tile-index.js';
import { Zoom } from '../../Public/viewer/zoom.js';
import { madePyramid } from './made-pyramid.js';

const stage = { width: 1_280, height: 800 };
const indexOf = (size) => {
  const { bytes, size: whole } = madePyramid(size);
  return readIndex(bytes, whole);
};
const index = indexOf({ width: 8_192, height: 4_096 });

/** A picture of 8,192 by 4,096 pixels, of which the middle of the stage shows this point. */
function looking({ scale = 6.4, at = [0.5, 0.5], box = { width: 1_280, height: 640 }, on = stage } = {}) {
  const zoom = new Zoom(on, box, 6.4);
  zoom.zoomTo(scale);
  zoom.panBy((0.5 - at[0]) * box.width * scale, (0.5 - at[1]) * box.height * scale);
  return zoom;
}

const places = (tiles) => tiles.map(({ x, y }) => [x, y]);
const allOf = (level, of = index) => {
  const { columns, rows } = of.levels[level];
  return Array.from({ length: columns * rows }, (_, at) => tileAt(of, level, at % columns, Math.floor(at / columns)));
};

test('a level has a pixel per pixel of the screen, and the next coarser one does not', () => {
  for (const [pixels, level] of [[8_192, 0], [20_000, 0], [4_200, 0], [4_096, 1], [4_110, 1], [2_600, 1], [2_048, 2]]) {
    assert.equal(levelFor(index, pixels), level, `${pixels} pixels`);
  }
});

test('at full size the tiles on the stage are chosen, and those within half a tile of it', () => {
  const { level, tiles, seen } = chooseTiles(index, looking(), 1);
  assert.equal(level, 0);
  // The stage shows 3,456 to 4,736 and 1,648 to 2,448.
  const inSight = ({ x, y }) => x + 512 > 3_456 && x < 4_736 && y + 512 > 1_648 && y < 2_448;
  assert.deepEqual(places(tiles.slice(0, seen)).sort(), places(allOf(0).filter(inSight)).sort());
  const isNear = ({ x, y }) => x + 512 > 3_200 && x < 4_992 && y + 512 > 1_392 && y < 2_704;
  assert.deepEqual(places(tiles).sort(), places(allOf(0).filter(isNear)).sort());
  assert.equal(seen, 8);
  assert.equal(tiles.length, 16);
});

test('visible tiles come first, from the middle outwards', () => {
  const { tiles, seen } = chooseTiles(index, looking({ at: [0.4, 0.6] }), 1);
  const far = tiles.map(({ x, y }) => Math.hypot(x + 256 - 0.4 * 8_192, y + 256 - 0.6 * 4_096));
  for (const part of [far.slice(0, seen), far.slice(seen)]) {
    assert.ok(part.length > 3);
    assert.deepEqual(part, [...part].sort((one, other) => one - other));
  }
});

test('a denser screen needs a finer level for the same view', () => {
  const zoom = looking({ scale: 3 });
  assert.deepEqual([1, 2, 3].map((density) => chooseTiles(index, zoom, density).level), [1, 0, 0]);
});

test('at the corners no tiles beyond the image are chosen', () => {
  for (const at of [[0, 0], [1, 0], [0, 1], [1, 1]]) {
    const { tiles, seen } = chooseTiles(index, looking({ at }), 1);
    assert.equal(seen, 6, `at ${at}`);
    assert.equal(tiles.length, 9, `at ${at}`);
    const corner = tiles.some(({ x, y }) => x === at[0] * 7_680 && y === at[1] * 3_584);
    assert.ok(corner, `at ${at}`);
  }
});

test('the narrow tiles are found on whichever side they are', () => {
  for (const flags of [0, 1, 2, 3]) {
    const of = indexOf({ width: 7_700, height: 3_850, flags });
    const natural = 7_700 / 1_280;
    const zoom = new Zoom(stage, { width: 1_280, height: 640 }, natural);
    zoom.zoomTo(natural);
    zoom.panBy(1e6, 1e6);
    // The stage shows 0 to 1,280 and 0 to 800.
    const inSight = ({ x, y }) => x < 1_280 && y < 800;
    const { tiles, seen } = chooseTiles(of, zoom, 1);
    assert.deepEqual(places(tiles.slice(0, seen)).sort(), places(allOf(0, of).filter(inSight)).sort());
    // Columns of 20, 512, 512 and 512 pixels, or of 512 each; and rows of 266, 512 and 512.
    assert.equal(seen, (flags & 1 ? 4 : 3) * (flags & 2 ? 3 : 2), `flags ${flags}`);
  }
});

test('an image narrower than the stage is visible over its whole width', () => {
  const tall = indexOf({ width: 1_000, height: 20_000 });
  const zoom = new Zoom(stage, { width: 40, height: 800 }, 25);
  zoom.zoomTo(25);
  const { level, tiles, seen } = chooseTiles(tall, zoom, 1);
  assert.equal(level, 0);
  assert.deepEqual([...new Set(tiles.slice(0, seen).map(({ x }) => x))].sort(), [0, 512]);
});

test('a stage that would need too many tiles gets a coarser level', () => {
  const vast = indexOf({ width: 65_536, height: 32_768 });
  const wall = { width: 7_680, height: 4_320 };
  const zoom = looking({ scale: 4.5, on: wall, box: { width: 7_680, height: 3_840 } });
  const { level, tiles } = chooseTiles(vast, zoom, 1);
  assert.ok(tiles.length <= 192, `${tiles.length} tiles`);
  assert.equal(level, 1);
  assert.equal(chooseTiles(vast, looking({ scale: 4.5, box: { width: 7_680, height: 3_840 } }), 1).level, 0);
});

test('the number of tiles is bounded, and near ones are kept before far ones', () => {
  const zoom = looking();
  const choice = chooseTiles(index, zoom, 1);
  const dropped = tilesToDrop(index, zoom, choice, allOf(0));
  assert.equal(allOf(0).length - dropped.length, mostTiles);
  assert.ok(!dropped.some(({ number }) => choice.tiles.some((tile) => tile.number === number)));
  const distance = ({ x, y }) => Math.hypot(x + 256 - 4_096, y + 256 - 2_048);
  const kept = allOf(0).filter((tile) => !dropped.some(({ number }) => number === tile.number));
  assert.ok(Math.max(...kept.map(distance)) <= Math.min(...dropped.map(distance)));
});

test('finer tiles stay until the current level is complete, and are then removed', () => {
  const zoom = looking({ scale: 3 });
  const choice = chooseTiles(index, zoom, 1);
  assert.equal(choice.level, 1);
  const finer = allOf(0).slice(0, 20);
  const seen = choice.tiles.slice(0, choice.seen);
  assert.deepEqual(tilesToDrop(index, zoom, choice, [...finer, ...seen.slice(1)]), []);
  const dropped = tilesToDrop(index, zoom, choice, [...finer, ...seen]);
  assert.deepEqual(dropped.map(({ number }) => number).sort(), finer.map(({ number }) => number).sort());
});

test('coarser tiles stay below', () => {
  const zoom = looking();
  const choice = chooseTiles(index, zoom, 1);
  assert.deepEqual(tilesToDrop(index, zoom, choice, [...allOf(1).slice(0, 10), ...choice.tiles]), []);
});
