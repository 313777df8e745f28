import assert from 'node:assert/strict';
import test from 'node:test';
import { fills, shapeOfWhole } from '../../Public/grid/fit.js';

/** @param {number} width @param {number} height */
const picture = (width, height) => ({ naturalWidth: width, naturalHeight: height });

test('an image that fills its slot takes up all of it', () => {
  assert.ok(fills(picture(320, 240), { width: 160, height: 120 }));
  assert.equal(shapeOfWhole(picture(320, 240), { width: 160, height: 120 }), 'inset(0.000% 0.000%)');
});

test('an image that is displayed whole leaves margins above and below, or at both sides', () => {
  assert.ok(!fills(picture(200, 100), { width: 100, height: 100 }));
  assert.equal(shapeOfWhole(picture(200, 100), { width: 100, height: 100 }), 'inset(25.000% 0.000%)');
  assert.equal(shapeOfWhole(picture(100, 400), { width: 100, height: 100 }), 'inset(0.000% 37.500%)');
});
