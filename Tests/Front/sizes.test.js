import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { serverTables } from '../../Public/catalog/server-tables.js';
import { bestStep, pixelsNeeded, pixelsOf, renditionWith } from '../../Public/loading/sizes.js';

const square = { width: 180, height: 180 };
const landscape = { width: 4_000, height: 3_000 };
const portrait = { width: 3_000, height: 4_000 };

test('a place that crops needs the pixels of the side that fills it', () => {
  for (const picture of [landscape, portrait]) {
    assert.equal(pixelsNeeded(square, { fit: 'cover', density: 1, picture }), 240);
    assert.equal(pixelsNeeded(square, { fit: 'cover', density: 3, picture }), 720);
  }
  assert.equal(pixelsNeeded({ width: 300, height: 100 }, { fit: 'cover', density: 1, picture: portrait }), 400);
  assert.equal(pixelsNeeded({ width: 100, height: 300 }, { fit: 'cover', density: 1, picture: landscape }), 400);
});

test('a place that displays the whole image needs the pixels that are visible', () => {
  assert.equal(pixelsNeeded(square, { fit: 'contain', density: 2, picture: landscape }), 360);
  assert.equal(pixelsNeeded({ width: 1_000, height: 300 }, { fit: 'contain', density: 1, picture: landscape }), 400);
  assert.equal(pixelsNeeded({ width: Infinity, height: 300 }, { fit: 'contain', density: 1, picture: portrait }), 300);
});

test('every pixel of a place gets one of the image, whatever the place, image and screen', () => {
  let looked = 0;
  for (const width of [90, 187, 400]) {
    for (const height of [90, 260]) {
      for (const density of [1, 1.25, 2, 3]) {
        for (const picture of [landscape, portrait, { width: 500, height: 500 }, { width: 9_000, height: 1_000 }]) {
          for (const fit of /** @type {const} */ (['cover', 'contain'])) {
            const side = pixelsNeeded({ width, height }, { fit, density, picture });
            const fill = fit === 'cover' ? Math.max : Math.min;
            const shown = fill(width / picture.width, height / picture.height) * density;
            const needed = shown * Math.max(picture.width, picture.height);
            assert.ok(side > needed - 1e-3 && side < needed + 1);
            looked += 1;
          }
        }
      }
    }
  }
  assert.equal(looked, 192);
});

test('an unknown image has the aspect ratio of most cameras', () => {
  assert.equal(pixelsNeeded(square, { fit: 'cover', density: 1 }), 240);
  assert.equal(pixelsNeeded(square, { fit: 'cover', density: 1, picture: { width: 4_000 } }), 240);
});

test('a place gets the smallest rendition that has its pixels', () => {
  const names = [1, 160, 161, 320, 321, 1_280, 1_281, 1_601, 2_560, 2_561].map((pixels) => renditionWith(pixels));
  assert.deepEqual(names, ['160', '160', 'tile', 'tile', '640', '1280', 'screen', '2560', '2560', 'full']);
});

test('no image needs more pixels than it has', () => {
  assert.equal(renditionWith(2_000, { width: 500, height: 300 }), '640');
  assert.equal(renditionWith(9_000, { width: 3_000, height: 2_000 }), 'full');
});

test('the smallest sufficient step that has arrived is used, or else the largest', () => {
  const here = (...names) => (name) => names.includes(name);
  assert.equal(bestStep('640', here('tile', '640', '2560')), '640');
  assert.equal(bestStep('640', here('tile', '2560')), '2560');
  assert.equal(bestStep('640', here('160', 'tile')), 'tile');
  assert.equal(bestStep('640', here()), undefined);
});

test('each step is larger than the previous one, and the full size is larger than any', () => {
  const { steps } = serverTables;
  for (const [at, { name, pixels }] of steps.entries()) {
    assert.equal(pixelsOf(name), pixels);
    assert.ok(at === 0 || pixels > steps[at - 1].pixels);
  }
  assert.ok(pixelsOf('full') > steps.at(-1).pixels && pixelsOf('preview') === 0);
});
