import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Parts } from '../../Public/stream/worker/parts.js';

const part = (bytes, { token = 'T', kind = '2560', isPart = true, isContinued = true } = {}) =>
  ({ token, kind, body: Uint8Array.from(bytes).buffer, isPart, isContinued });
const bytesOf = (body) => body && [...new Uint8Array(body)];

test('what comes in one message is whole', () => {
  assert.deepEqual(bytesOf(new Parts().add(part([1, 2], { isPart: false, isContinued: false }))), [1, 2]);
});

test('parts are put together in the order in which they come, whatever comes between', () => {
  const parts = new Parts();
  assert.equal(parts.add(part([1], { isContinued: false })), null);
  assert.deepEqual(bytesOf(parts.add(part([9], { kind: 'tile', isPart: false, isContinued: false }))), [9]);
  assert.equal(parts.add(part([2, 3])), null);
  assert.deepEqual(bytesOf(parts.add(part([4], { isPart: false }))), [1, 2, 3, 4]);
});

test('another beginning counts for more than what came before', () => {
  const parts = new Parts();
  parts.add(part([1], { isContinued: false }));
  parts.add(part([5], { isContinued: false }));
  assert.deepEqual(bytesOf(parts.add(part([6], { isPart: false }))), [5, 6]);
});

test('the rest without its beginning is nothing', () => {
  const parts = new Parts();
  assert.equal(parts.add(part([2])), null);
  assert.equal(parts.add(part([3], { isPart: false })), undefined);
  parts.add(part([1], { isContinued: false }));
  assert.deepEqual(bytesOf(parts.add(part([2], { isPart: false }))), [1, 2]);
  assert.equal(parts.add(part([2], { isPart: false })), undefined);
});

test('of what was left on the way not everything is kept', () => {
  const parts = new Parts();
  for (let at = 0; at < 140; at += 1) parts.add(part([at], { token: `T${at}`, isContinued: false }));
  assert.equal(parts.add(part([1], { token: 'T0', isPart: false })), undefined);
  assert.deepEqual(bytesOf(parts.add(part([7], { token: 'T19', isPart: false }))), [19, 7]);
});
