import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Marks } from '../../Public/stream/worker/marks.js';

const mark = (bytes) => ({ bytes, used: 0 });

function filled(count, bytes, budget, most) {
  const marks = new Marks(budget, most);
  for (let number = 0; number < count; number += 1) marks.set(`${number}`, mark(bytes));
  return marks;
}

test('nothing is evicted while everything fits', () => {
  assert.deepEqual(filled(10, 10, 100, 10).excess(), []);
});

test('beyond the byte limit the least recently used keys are evicted, with a tenth to spare', () => {
  const marks = filled(11, 10, 100, 1_000);
  marks.set('0', mark(10));
  assert.deepEqual(marks.excess(), ['1', '2']);
});

test('beyond the count limit the least recently used keys are evicted, however small', () => {
  const marks = filled(101, 1, 1e9, 100);
  assert.deepEqual(marks.excess(), ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  for (const key of marks.excess()) marks.delete(key);
  assert.equal(marks.size, 90);
  assert.equal(marks.bytes, 90);
  assert.deepEqual(marks.excess(), []);
});

test('a mark that is set again is counted once', () => {
  const marks = filled(3, 10, 100, 100);
  marks.set('0', mark(20));
  assert.equal(marks.bytes, 40);
  assert.equal(marks.size, 3);
  assert.equal(marks.delete('0').bytes, 20);
  assert.equal(marks.delete('0'), undefined);
  assert.equal(marks.bytes, 20);
});

test('shrinking halves the contents', () => {
  const marks = filled(10, 10, 1_000, 100);
  marks.shrink();
  assert.deepEqual(marks.excess(), ['0', '1', '2', '3', '4', '5']);
  assert.equal(marks.clear().length, 10);
  assert.equal(marks.bytes, 0);
});
