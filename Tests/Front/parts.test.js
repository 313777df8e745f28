import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { Parts } from '../../Public/stream/worker/parts.js';

const part = (bytes, { token = 'T', kind = '2560', isPart = true, isContinued = true } = {}) =>
  ({ token, kind, body: Uint8Array.from(bytes).buffer, isPart, isContinued });
const bytesOf = (body) => body && [...new Uint8Array(body)];

test('a body in one message is complete', () => {
  assert.deepEqual(bytesOf(new Parts().add(part([1, 2], { isPart: false, isContinued: false }))), [1, 2]);
});

test('parts are assembled in sequence, with other messages in between', () => {
  const parts = new Parts();
  assert.equal(parts.add(part([1], { isContinued: false })), null);
  assert.deepEqual(bytesOf(parts.add(part([9], { kind: 'tile', isPart: false, isContinued: false }))), [9]);
  assert.equal(parts.add(part([2, 3])), null);
  assert.deepEqual(bytesOf(parts.add(part([4], { isPart: false }))), [1, 2, 3, 4]);
});

test('a new beginning replaces earlier parts', () => {
  const parts = new Parts();
  parts.add(part([1], { isContinued: false }));
  parts.add(part([5], { isContinued: false }));
  assert.deepEqual(bytesOf(parts.add(part([6], { isPart: false }))), [5, 6]);
});

test('parts without a beginning are dropped', () => {
  const parts = new Parts();
  assert.equal(parts.add(part([2])), null);
  assert.equal(parts.add(part([3], { isPart: false })), undefined);
  parts.add(part([1], { isContinued: false }));
  assert.deepEqual(bytesOf(parts.add(part([2], { isPart: false }))), [1, 2]);
  assert.equal(parts.add(part([2], { isPart: false })), undefined);
});

test('the number of unfinished bodies is bounded', () => {
  const parts = new Parts();
  for (let at = 0; at < 140; at += 1) parts.add(part([at], { token: `T${at}`, isContinued: false }));
  assert.equal(parts.add(part([1], { token: 'T0', isPart: false })), undefined);
  assert.deepEqual(bytesOf(parts.add(part([7], { token: 'T19', isPart: false }))), [19, 7]);
});
