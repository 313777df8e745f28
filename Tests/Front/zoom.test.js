import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Zoom } from '../../Public/viewer/zoom.js';

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

test('an image is enlarged to at most twice its own pixels, and never shrunk', () => {
  const it = zoom();
  it.zoomTo(1e6);
  assert.equal(it.scale, 8);
  it.zoomTo(0.01);
  assert.equal(it.scale, 1);
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
