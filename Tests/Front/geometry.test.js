import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Geometry, clamp } from '../../Public/grid/geometry.js';

const screens = [
  { width: 320, height: 480, tile: 100, gap: 2 },
  { width: 390, height: 844, tile: 120, gap: 2 },
  { width: 1280, height: 800, tile: 180, gap: 4 },
  { width: 3840, height: 2160, tile: 160, gap: 4 },
  { width: 7680, height: 4320, tile: 100, gap: 0 },
];

test('the document never holds more than 150 pictures, however large the screen', () => {
  for (const screen of screens) {
    const geometry = new Geometry({ ...screen, total: 1_000_000 });
    for (let offset = 0; offset < 2 * geometry.rowHeight; offset += 1) {
      const { first, last } = geometry.rowsAt(offset + 10 * geometry.rowHeight);
      const rows = last - first + 1 + 2 * Geometry.overscan;
      assert.ok((rows + 1) * geometry.columns <= 150, `${rows} rows of ${geometry.columns} at ${screen.width} px`);
    }
  }
});

test('the slots on screen are those that any pixel of the screen shows', () => {
  for (const screen of screens) {
    const geometry = new Geometry({ ...screen, total: 999 });
    for (const offset of [0, 1, geometry.tile, geometry.rowHeight - 1, geometry.rowHeight, geometry.furthest]) {
      const { first, last } = geometry.slotsAt(offset);
      for (const slot of [first, last]) {
        const top = geometry.topOf(geometry.rowOf(slot));
        assert.ok(top < offset + screen.height && top + geometry.tile > offset, `slot ${slot} at ${offset}`);
      }
      assert.ok(first === 0 || geometry.topOf(geometry.rowOf(first - 1)) + geometry.tile <= offset);
      assert.ok(last === 998 || geometry.topOf(geometry.rowOf(last + 1)) >= offset + screen.height);
    }
  }
});

test('the furthest offset shows the last slot, and nothing comes after it', () => {
  const geometry = new Geometry({ ...screens[2], total: 1_001 });
  assert.equal(geometry.slotsAt(geometry.furthest).last, 1_000);
  assert.equal(geometry.topOf(geometry.rows - 1) + geometry.tile, geometry.height);
});

test('an empty gallery has no height and shows no slot', () => {
  const geometry = new Geometry({ ...screens[2], total: 0 });
  assert.equal(geometry.height, 0);
  assert.equal(geometry.furthest, 0);
  const { first, last } = geometry.slotsAt(0);
  assert.ok(last < first);
});

test('a row is shown with the least scrolling, and whole', () => {
  const geometry = new Geometry({ ...screens[2], total: 10_000 });
  const at = 50 * geometry.rowHeight;
  assert.equal(geometry.offsetShowing(51, at), at);
  assert.equal(geometry.offsetShowing(40, at), geometry.topOf(40));
  assert.equal(geometry.offsetShowing(90, at) + geometry.viewHeight, geometry.topOf(90) + geometry.tile);
  assert.equal(geometry.offsetShowing(0, at), 0);
});

test('a centred row has as much above it as below, except at the ends', () => {
  const geometry = new Geometry({ ...screens[2], total: 10_000 });
  assert.equal(geometry.distance(60, geometry.offsetCentring(60)), 0);
  assert.equal(geometry.offsetCentring(0), 0);
  assert.equal(geometry.offsetCentring(geometry.rows - 1), geometry.furthest);
});

test('what moves within the order keeps its column, and everything around it its place beside it', () => {
  for (const [lead, from, to] of [[0, 40, 1_040], [0, 40, 41], [3, 40, 1_040], [2, 500, 7], [0, 9, 9], [5, 0, 3]]) {
    const before = new Geometry({ ...screens[2], total: 1_000, lead });
    const { lead: next, rows } = before.moving(from, to);
    const after = new Geometry({ ...screens[2], total: 2_000, lead: next });
    assert.ok(next >= 0 && next < after.columns);
    for (let step = -Math.min(from, to, 30); step < 60; step += 1) {
      assert.equal(after.columnOf(to + step), before.columnOf(from + step));
      assert.equal(after.rowOf(to + step), before.rowOf(from + step) + rows);
    }
  }
});

test('a first row that is led by empty places has the fewer slots, and no slot is lost', () => {
  const geometry = new Geometry({ ...screens[2], total: 100, lead: 4 });
  assert.equal(geometry.firstOf(0), -4);
  assert.equal(geometry.rowOf(geometry.columns - 4), 1);
  assert.equal(geometry.slotsAt(0).first, 0);
  assert.equal(geometry.slotsAt(geometry.furthest).last, 99);
  assert.equal(geometry.rows, Math.ceil(104 / geometry.columns));
  assert.equal(geometry.landingSlot(-50), 0);
  assert.equal(new Geometry({ ...screens[2], total: 0, lead: 4 }).rows, 0);
});

test('a value is clamped to its bounds, and the lower one wins where they cross', () => {
  assert.deepEqual([-1, 0.5, 2].map((value) => clamp(value, 0, 1)), [0, 0.5, 1]);
  assert.equal(clamp(5, 3, 1), 3);
});
