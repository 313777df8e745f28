import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import './server-tables.js';
import { Problem } from '../../Public/catalog/problem.js';
import { View } from '../../Public/catalog/view.js';
import { Slot } from '../../Public/loading/slot.js';

/** The page finds out once which formats its browser decodes; this one decodes none. */
globalThis.Image = class {
  decode() {
    return Promise.reject(new Error('No browser'));
  }
};
const { TokenLoader } = await import('../../Public/loading/token-loader.js');
const { StreamLoader } = await import('../../Public/stream/stream-loader.js');

/** A slot that records problems and waits. */
class NotedSlot extends Slot {
  problems = [];
  waits = [];

  constructor() {
    super('tile');
    this.begin(3, { id: 'a', index: 3, name: 'a.jpg', links: { tile: '/images/a/tile?v=1' } });
  }

  fail(problem) {
    super.fail(problem);
    this.problems.push(problem);
  }

  waitForOrigin(isWaiting) {
    this.waits.push(isWaiting);
  }
}

const nothing = { get: () => undefined };

function streamed() {
  const stream = new EventTarget();
  const asked = [];
  Object.assign(stream, { retry: (slot, { bypassesNegativeCache }) => asked.push({ slot, bypassesNegativeCache }) });
  const pages = Object.assign(new EventTarget(), { imageAt: () => undefined, view: new View(), revision: 1 });
  const loader = new StreamLoader({ stream, cache: nothing, pages });
  const slot = new NotedSlot();
  loader.request(slot);
  const say = (type, detail) => stream.dispatchEvent(new CustomEvent(type, { detail }));
  const assign = (token) =>
    say('assigned', { assignments: [{ slot: 3, image: 'a', name: 'a.jpg', version: '1', token, revision: 1 }] });
  const refuse = (token, retryAfter) =>
    say('problem', { token, problem: { status: 503, title: 'No', detail: 'Not now.', retryAfter } });
  return { loader, slot, asked, say, assign, refuse };
}

test('on the stream a slot retries after the given time, without bypassing the negative cache', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { slot, asked, assign, refuse } = streamed();
  assign('t1');
  refuse('t1', 20);
  mock.timers.tick(19_999);
  assert.deepEqual(asked, []);
  mock.timers.tick(1);
  assert.deepEqual(asked, [{ slot: 3, bypassesNegativeCache: false }]);
  assert.deepEqual(slot.problems, []);
  mock.timers.reset();
});

test('a slot whose retry time is too long displays the problem, with the time', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const { slot, asked, assign, refuse } = streamed();
  assign('t1');
  refuse('t1', 3_600);
  mock.timers.tick(3_600_000);
  assert.deepEqual(asked, []);
  assert.equal(slot.problems[0].retryAfter, 3_600);
  mock.timers.reset();
});

test('a retry by the user bypasses the negative cache', () => {
  const { loader, slot, asked, assign, say } = streamed();
  assign('t1');
  say('problem', { token: 't1', problem: { status: 404, title: 'No', detail: '' } });
  assert.equal(slot.phase, 'failed');
  loader.retry(slot);
  assert.deepEqual(asked, [{ slot: 3, bypassesNegativeCache: true }]);
});

test('a slot knows that its origin is slow, whether that is reported before or after its assignment', () => {
  const { slot, assign, say } = streamed();
  say('waiting', { tokens: ['t1', 'other'] });
  assert.equal(slot.waits.at(-1), false);
  assign('t1');
  assert.equal(slot.waits.at(-1), true);
  say('waiting', { tokens: ['other'] });
  assert.equal(slot.waits.at(-1), false);
  say('waiting', { tokens: ['t1'] });
  assert.equal(slot.waits.at(-1), true);
  say('closed', { wasOpen: true, failures: 1 });
  assert.equal(slot.waits.at(-1), false);
});

test('by token requests a retry by the user bypasses the negative cache once, and later automatic ones do not', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const tokenRequests = [];
  const session = {
    issue: async ({ retry }) => {
      tokenRequests.push(retry);
      throw new Problem(503, 'No', '', 2);
    },
    cancel() {},
  };
  const connection = Object.assign(new EventTarget(), { isDoubtful: false });
  const limit = { add() {}, fill() {}, overtaken: () => [], withdraw: () => true };
  const loader = new TokenLoader({ session, limit, cache: nothing, connection });
  const turn = async () => {
    for (let step = 0; step < 20; step += 1) await Promise.resolve();
  };
  const slot = new NotedSlot();
  slot.phase = 'failed';
  loader.retry(slot);
  await turn();
  assert.deepEqual(tokenRequests, [true]);
  mock.timers.tick(1_999);
  await turn();
  assert.deepEqual(tokenRequests, [true]);
  mock.timers.tick(1);
  await turn();
  assert.deepEqual(tokenRequests, [true, false]);
  mock.timers.reset();
});
