import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ScrollMap } from '../../Public/grid/scroll-map.js';

const view = 800;

test('a gallery that fits is scrolled unscaled', () => {
  const map = new ScrollMap(100_000, view);
  assert.ok(map.isExact);
  assert.equal(map.span, 100_000);
  for (const place of [0, 1, 50_000.5, 99_200]) {
    assert.equal(map.offsetOf(place), place);
    assert.equal(map.positionOf(place), place);
  }
});

test('a gallery of any height is scrolled in an element that every browser supports', () => {
  for (const height of [4_000_001, 30_000_000, 1e9, 1e12]) {
    const map = new ScrollMap(height, view);
    assert.ok(map.span <= 4_000_000);
    assert.equal(map.offsetOf(0), 0);
    assert.equal(map.offsetOf(map.furthestPosition), height - view);
    assert.equal(map.positionOf(height - view), map.furthestPosition);
  }
});

test('near both ends a pixel of the scrollbar is a pixel of the gallery', () => {
  const map = new ScrollMap(1e9, view);
  for (const step of [1, 999, 150_000]) {
    assert.equal(map.offsetOf(step), step);
    assert.equal(map.furthestOffset - map.offsetOf(map.furthestPosition - step), step);
  }
});

test('the scrollbar moves monotonically, without a jump', () => {
  const map = new ScrollMap(30_000_000, view);
  let before = -1;
  for (let position = 0; position <= map.furthestPosition; position += 97) {
    const offset = map.offsetOf(position);
    assert.ok(offset > before && offset - before <= 97 * map.stretch + 1, `at ${position}`);
    before = offset;
  }
});

test('an offset maps to the scrollbar and back', () => {
  const map = new ScrollMap(1e9, view);
  for (const offset of [0, 1, 199_999, 200_001, 5e8, 9.99e8, map.furthestOffset]) {
    assert.ok(Math.abs(map.offsetOf(map.positionOf(offset)) - offset) < 1e-3, `${offset}`);
  }
});

test('positions beyond the ends map to the ends', () => {
  const map = new ScrollMap(1e9, view);
  assert.equal(map.offsetOf(-50), 0);
  assert.equal(map.offsetOf(1e12), map.furthestOffset);
  assert.equal(map.positionOf(-50), 0);
  assert.equal(map.positionOf(1e12), map.furthestPosition);
});

test('a gallery smaller than the screen cannot be scrolled', () => {
  const map = new ScrollMap(300, view);
  assert.equal(map.furthestPosition, 0);
  assert.equal(map.offsetOf(10), 0);
});
