import assert from 'node:assert/strict';
import { test } from 'node:test';

import { countLevels, describeLevels, levelCount, mostOf, outlineOf } from '../../Public/viewer/levels.js';

test('every visible pixel is counted in every channel', () => {
  const { red, green, blue, light } = countLevels(
    new Uint8ClampedArray([0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 255, 9, 9, 9, 0]),
  );
  assert.equal(red[0], 1);
  assert.equal(red[levelCount - 1], 2);
  assert.equal(green[0], 2);
  assert.equal(blue[levelCount - 1], 1);
  for (const channel of [red, green, blue, light]) assert.equal(channel.reduce((sum, count) => sum + count), 3);
});

test('black borders and white skies do not flatten the rest', () => {
  const channel = new Array(levelCount).fill(10);
  channel[0] = 1_000_000;
  const levels = { red: channel, green: channel, blue: channel, light: channel };
  assert.equal(mostOf(levels), 10);
  assert.match(outlineOf(channel, 10), /^M0,100L0,0\.0L1,0\.0L/);
});

test("the description's shares add up to the whole", () => {
  const light = new Array(levelCount).fill(0);
  light[0] = 1;
  light[30] = 1;
  light[63] = 1;
  assert.equal(describeLevels({ light }), 'Histogram: 33% shadows, 34% midtones, 33% highlights');
});
