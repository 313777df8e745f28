import assert from 'node:assert/strict';
import test from 'node:test';
import { linkRate } from '../../Public/stream/link-rate.js';

/** @param {number} transferSize  Bytes.  @param {number} time  Milliseconds. */
const file = (transferSize, time) => ({ transferSize, responseStart: 200, responseEnd: 200 + time });

test('the fastest file tells the rate of the link', () => {
  assert.equal(linkRate([file(20_000, 100), file(40_000, 100), file(30_000, 400)]), 400_000);
});

test('files out of a cache and small files say nothing', () => {
  assert.equal(linkRate([file(0, 1), file(300, 1)]), undefined);
  assert.equal(linkRate([]), undefined);
});

test('a file that arrives within one tick of the clock has a finite rate', () => {
  assert.equal(linkRate([file(40_000, 0)]), 40_000_000);
});
