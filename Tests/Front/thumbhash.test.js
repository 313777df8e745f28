import assert from 'node:assert/strict';
import { test } from 'node:test';

// Browsers provide it.
globalThis.ImageData ??= class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(width * height * 4) });
  }
};

const { decodeThumbHash } = await import('../../Public/placeholder/thumbhash.js');

/**
 * A hash as the format is specified, https://evanw.github.io/thumbhash/.
 * @param {{l?: number, p?: number, q?: number, scale?: number, isLandscape?: boolean, fewest?: number}} parts
 * @param {number[]} nibbles  The terms, 0 to 15.
 */
function hashOf({ l = 32, p = 32, q = 32, scale = 0, isLandscape = true, fewest = 5 }, nibbles = []) {
  const low = l | (p << 6) | (q << 12) | (scale << 18);
  const high = fewest | (Number(isLandscape) << 15);
  const terms = [];
  for (let at = 0; at < nibbles.length; at += 2) terms.push(nibbles[at] | ((nibbles[at + 1] ?? 8) << 4));
  return Uint8Array.of(low & 255, (low >> 8) & 255, low >> 16, high & 255, high >> 8, ...terms);
}

/** @param {ImageData} pixels */
function grey(pixels, x, y) {
  const at = (y * pixels.width + x) * 4;
  return (pixels.data[at] + pixels.data[at + 1] + pixels.data[at + 2]) / 3;
}

test('an invalid hash gives no image', () => {
  for (const bytes of [[], [1], [1, 2, 3, 4], [0, 0, 0x80, 0, 0]]) {
    assert.equal(decodeThumbHash(Uint8Array.from(bytes)), null);
  }
});

test('any valid hash gives an image of at most 32 pixels a side', () => {
  let state = 1;
  const random = () => (state = (state * 48_271) % 2_147_483_647);
  for (let round = 0; round < 300; round += 1) {
    const bytes = Uint8Array.from({ length: 6 + (random() % 25) }, () => random() & 255);
    const { width, height, data } = decodeThumbHash(bytes);
    assert.ok(width >= 1 && width <= 32 && height >= 1 && height <= 32);
    assert.equal(data.length, width * height * 4);
  }
});

test('a hash without terms is the mean colour, opaque', () => {
  const { data } = decodeThumbHash(hashOf({ l: 63, p: 32, q: 32 }));
  for (let at = 0; at < data.length; at += 4) {
    assert.ok(data[at] > 240 && data[at + 1] > 240 && data[at + 2] > 240);
    assert.equal(data[at + 3], 255);
  }
});

test('the colour channels are separate: yellow has no blue, red no green', () => {
  const yellow = decodeThumbHash(hashOf({ l: 42, p: 63, q: 32 })).data;
  assert.ok(yellow[0] > 230 && yellow[1] > 230 && yellow[2] < 20, `${yellow.slice(0, 3)}`);
  const red = decodeThumbHash(hashOf({ l: 21, p: 47, q: 63 })).data;
  assert.ok(red[0] > 230 && red[1] < 20, `${red.slice(0, 3)}`);
});

test('an image has the aspect ratio in its hash', () => {
  const wide = decodeThumbHash(hashOf({ isLandscape: true, fewest: 4 }));
  assert.deepEqual([wide.width, wide.height], [32, Math.round((32 * 4) / 7)]);
  const high = decodeThumbHash(hashOf({ isLandscape: false, fewest: 4 }));
  assert.deepEqual([high.width, high.height], [Math.round((32 * 4) / 7), 32]);
});

test('an image encoded as bright on the left is decoded as bright on the left', () => {
  const pixels = decodeThumbHash(hashOf({ scale: 31 }, [15]));
  const middle = Math.floor(pixels.height / 2);
  assert.ok(grey(pixels, 0, middle) > 200 && grey(pixels, 31, middle) < 60);
  const mirrored = decodeThumbHash(hashOf({ scale: 31 }, [0]));
  assert.ok(grey(mirrored, 0, middle) < 60 && grey(mirrored, 31, middle) > 200);
});
