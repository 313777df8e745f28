import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Zoom } from '../../Public/viewer/zoom.js';

globalThis.devicePixelRatio = 1;

const zoom = () => new Zoom({ width: 1000, height: 600 }, { width: 900, height: 600 }, 4);

test('the point under the finger stays in place', () => {
  const it = zoom();
  const point = { x: 100, y: -50 };
  it.zoomTo(2, point);
  // A point of the picture is displayed at its position times the scale, plus the shift.
  assert.deepEqual([point.x * it.scale + it.x, point.y * it.scale + it.y], [point.x, point.y]);
});

test('an enlarged image cannot be moved off the stage', () => {
  const it = zoom();
  it.zoomTo(3);
  it.panBy(1e6, -1e6);
  assert.deepEqual([it.x, it.y], [(900 * 3 - 1000) / 2, -(600 * 3 - 600) / 2]);
});

test('an image is enlarged to at most 16 screen pixels a pixel, and never shrunk', () => {
  const small = new Zoom({ width: 1000, height: 600 }, { width: 100, height: 80 }, 1);
  small.zoomTo(1e6);
  assert.equal(small.magnification, 16);
  small.zoomTo(0.01);
  assert.equal(small.scale, 1);
});

test('pixels have hard edges only where each covers many of the screen', () => {
  const it = zoom();
  it.zoomTo(4 * 5.9);
  assert.ok(!it.isHard);
  it.zoomTo(4 * 6.1);
  assert.ok(it.isHard);
});

test('an enlarged image has an edge in the direction in which it cannot be panned further', () => {
  const it = zoom();
  it.zoomTo(3);
  assert.ok(!it.isAtEdge(1) && !it.isAtEdge(-1));
  it.panBy(1e6, 0);
  assert.ok(it.isAtEdge(1) && !it.isAtEdge(-1));
  it.panBy(-1e6, 0);
  assert.ok(!it.isAtEdge(1) && it.isAtEdge(-1));
  // Enlarged, but narrower than the stage: nothing to pan.
  const narrow = new Zoom({ width: 1000, height: 600 }, { width: 200, height: 600 }, 4);
  narrow.zoomTo(2);
  assert.ok(narrow.isAtEdge(1) && narrow.isAtEdge(-1));
});

test('reset returns the image to the middle', () => {
  const it = zoom();
  it.zoomTo(4, { x: 300, y: 200 });
  it.reset();
  assert.equal(it.scale, 1);
  assert.ok(!it.isIn);
  assert.equal(Math.abs(it.x) + Math.abs(it.y), 0);
  assert.equal(it.transform, '');
});

test('a rotated image fits the stage and is panned to its visible edges', () => {
  const it = Zoom.fitting({ width: 1000, height: 600 }, { width: 3000, height: 2000, isLeast: false }, 1);
  assert.deepEqual(it.seen, { width: 400, height: 600 });
  assert.equal(it.transform, 'rotate(90deg)');
  it.zoomTo(2);
  it.panBy(1e6, 1e6);
  // 800 px wide, it is narrower than the stage; 1,200 px high, it is twice as high.
  assert.deepEqual([it.x, it.y], [0, 300]);
  assert.ok(it.isAtEdge(1) && it.isAtEdge(-1));
});

test('a rotated image is seen like an unrotated image on a rotated stage', () => {
  // In the image's own directions, its middle is this far from the middle of the stage.
  for (const [turns, x, y] of [[0, 30, 20], [1, 20, -30], [2, -30, -20], [3, -20, 30]]) {
    const it = Zoom.fitting({ width: 1000, height: 600 }, { width: 3000, height: 2000, isLeast: false }, turns);
    it.zoomTo(4);
    it.panBy(30, 20);
    const { unrotated } = it;
    assert.deepEqual([unrotated.x, unrotated.y, unrotated.scale], [x, y, 4]);
    assert.deepEqual(unrotated.stage, turns % 2 ? { width: 600, height: 1000 } : { width: 1000, height: 600 });
    assert.deepEqual(unrotated.seen, it.box);
  }
});

test('on a stage of another size, an enlarged image keeps its size and place', () => {
  const before = zoom();
  before.zoomTo(3);
  before.panBy(120, -80);
  const after = new Zoom({ width: 700, height: 500 }, { width: 700, height: 467 }, 5);
  after.continue(before);
  assert.ok(Math.abs(after.scale * after.box.width - 3 * 900) < 1e-9);
  assert.deepEqual([after.x, after.y], [120, -80]);
});

test('an image that a larger stage can show whole is no longer enlarged', () => {
  const before = zoom();
  before.zoomTo(1.2);
  const after = new Zoom({ width: 2000, height: 1200 }, { width: 1800, height: 1200 }, 2);
  after.continue(before);
  assert.deepEqual([after.scale, after.x, after.y], [1, 0, 0]);
});
