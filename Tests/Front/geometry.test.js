import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Geometry, clamp } from '../../Public/grid/geometry.js';
import { TileLayout } from '../../Public/grid/tile-layout.js';

const screens = [
  { width: 320, height: 480, columns: 3, gap: 2 },
  { width: 390, height: 844, columns: 3, gap: 2 },
  { width: 1280, height: 800, columns: 6, gap: 4 },
  { width: 3840, height: 2160, columns: 10, gap: 4 },
  { width: 7680, height: 4320, columns: 11, gap: 0 },
];

/** The geometry of squares, with one part without a heading unless `parts` are given. */
const geometryOf = ({ total, parts = [{ title: '', count: total }], height, leads, pinned, ...given }) =>
  new Geometry({ parts, height, layout: new TileLayout(given, { leads, pinned }) });

test('the document never holds more than 150 images, however large the screen', () => {
  for (const screen of screens) {
    const geometry = geometryOf({ ...screen, total: 1_000_000 });
    for (let offset = 0; offset < 2 * geometry.rowHeight; offset += 1) {
      const { first, last } = geometry.rowsAround(offset + 10 * geometry.rowHeight);
      const rows = last - first + 1;
      assert.ok((rows + 1) * geometry.columns <= 150, `${rows} rows of ${geometry.columns} at ${screen.width} px`);
    }
  }
});

test('a slot is on screen if any of its pixels is', () => {
  for (const screen of screens) {
    const geometry = geometryOf({ ...screen, total: 999 });
    for (const offset of [0, 1, geometry.layout.tileHeight, geometry.rowHeight - 1, geometry.rowHeight, geometry.furthest]) {
      const { first, last } = geometry.slotsAt(offset);
      for (const slot of [first, last]) {
        const top = geometry.topOf(geometry.rowOf(slot));
        assert.ok(top < offset + screen.height && top + geometry.layout.tileHeight > offset, `slot ${slot} at ${offset}`);
      }
      assert.ok(first === 0 || geometry.topOf(geometry.rowOf(first - 1)) + geometry.layout.tileHeight <= offset);
      assert.ok(last === 998 || geometry.topOf(geometry.rowOf(last + 1)) >= offset + screen.height);
    }
  }
});

test('two more rows are kept in the document beyond each edge', () => {
  const geometry = geometryOf({ ...screens[2], total: 1_001 });
  for (const offset of [0, 1, 5_000, geometry.furthest]) {
    const [seen, kept] = [geometry.rowsAt(offset), geometry.rowsAround(offset)];
    assert.equal(kept.first, Math.max(0, seen.first - 2));
    assert.equal(kept.last, Math.min(geometry.rows - 1, seen.last + 2));
  }
});

test('the furthest offset shows the last slot and nothing after it', () => {
  const geometry = geometryOf({ ...screens[2], total: 1_001 });
  assert.equal(geometry.slotsAt(geometry.furthest).last, 1_000);
  assert.equal(geometry.topOf(geometry.rows - 1) + geometry.layout.tileHeight, geometry.height);
});

test('an empty gallery has no height and shows no slot', () => {
  for (const parts of [[], [{ title: '', count: 0 }]]) {
    const geometry = geometryOf({ ...screens[2], parts });
    assert.equal(geometry.height, 0);
    assert.equal(geometry.furthest, 0);
    assert.equal(geometry.rows, 0);
    assert.equal(geometry.densityAt(0), 0);
    const { first, last } = geometry.slotsAt(0);
    assert.ok(last < first);
  }
});

test('a row is revealed completely, with the least scrolling', () => {
  const geometry = geometryOf({ ...screens[2], total: 10_000 });
  const at = 50 * geometry.rowHeight;
  assert.equal(geometry.offsetShowing(51, at), at);
  assert.equal(geometry.offsetShowing(40, at), geometry.topOf(40));
  assert.equal(geometry.offsetShowing(90, at) + geometry.viewHeight, geometry.topOf(90) + geometry.layout.tileHeight);
  assert.equal(geometry.offsetShowing(0, at), 0);
});

test("the distance of a row is measured between its middle and the screen's", () => {
  const geometry = geometryOf({ ...screens[2], total: 10_000 });
  const offset = geometry.topOf(60) - (geometry.viewHeight - geometry.layout.tileHeight) / 2;
  assert.equal(geometry.distance(60, offset), 0);
  assert.equal(geometry.distance(61, offset), geometry.rowHeight);
  assert.equal(geometry.distance(58, offset), 2 * geometry.rowHeight);
});

test('the density of full rows is their slots divided by their height', () => {
  const geometry = geometryOf({ ...screens[2], total: 10_000 });
  for (const offset of [0, 70, 5_003]) {
    assert.ok(Math.abs(geometry.densityAt(offset) - geometry.columns / geometry.rowHeight) < 1e-9);
  }
});

test('a moved image keeps its column, and its surroundings keep their places', () => {
  for (const [lead, from, to] of [[0, 40, 1_040], [0, 40, 41], [3, 40, 1_040], [2, 500, 7], [0, 9, 9], [5, 0, 3]]) {
    const before = geometryOf({ ...screens[2], total: 1_000, leads: new Map([['', lead]]) });
    const pinned = { slot: to, column: before.columnOf(from) };
    const after = geometryOf({ ...screens[2], total: 2_000, leads: before.leads, pinned });
    const rows = after.rowOf(to) - before.rowOf(from);
    for (let step = -Math.min(from, to, 30); step < 60; step += 1) {
      assert.equal(after.columnOf(to + step), before.columnOf(from + step));
      assert.equal(after.rowOf(to + step), before.rowOf(from + step) + rows);
    }
  }
});

test('empty places at the start shorten the first row, and no slot is lost', () => {
  const geometry = geometryOf({ ...screens[2], total: 100, leads: new Map([['', 4]]) });
  assert.equal(geometry.row(0).start, -4);
  assert.equal(geometry.row(0).first, 0);
  assert.equal(geometry.rowOf(geometry.columns - 4), 1);
  assert.equal(geometry.slotsAt(0).first, 0);
  assert.equal(geometry.slotsAt(geometry.furthest).last, 99);
  assert.equal(geometry.rows, Math.ceil(104 / geometry.columns));
  assert.equal(geometry.landingSlot(-50), 0);
  assert.equal(geometryOf({ ...screens[2], total: 0, leads: new Map([['', 4]]) }).rows, 0);
});

test('a value is clamped to its bounds, and the lower bound takes precedence', () => {
  assert.deepEqual([-1, 0.5, 2].map((value) => clamp(value, 0, 1)), [0, 0.5, 1]);
  assert.equal(clamp(5, 3, 1), 3);
});
