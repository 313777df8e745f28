import assert from 'node:assert/strict';
import test from 'node:test';
import { linkRate } from '../../Public/stream/link-rate.js';

/** @param {number} transferSize  Bytes.  @param {number} time  Milliseconds.  @param {number} workerStart */
const file = (transferSize, time, workerStart = 0) =>
  ({ transferSize, responseStart: 200, responseEnd: 200 + time, workerStart });

test('the largest file tells the rate of the link', () => {
  assert.equal(linkRate([file(20_000, 1), file(40_000, 100), file(30_000, 1)]), 400_000);
});

test('small files, and files out of a cache or from a service worker, say nothing', () => {
  assert.equal(linkRate([file(0, 1), file(14_000, 1), file(40_000, 1, 190)]), undefined);
  assert.equal(linkRate([]), undefined);
});

test('a file that arrives within one tick of the clock has a finite rate', () => {
  assert.equal(linkRate([file(40_000, 0)]), 40_000_000);
});
