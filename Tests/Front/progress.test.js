import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { Progress } from '../../Public/catalog/progress.js';

const page = Object.assign(new EventTarget(), { hidden: false });
globalThis.document = page;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => {
  mock.timers.reset();
  page.hidden = false;
});

const listing = (total) => ({ total, scanning: true, examined: { done: 0, total } });
const looking = (done, total) => ({ total, scanning: false, examined: { done, total } });

/** A server that responds with each of these in turn, and then repeats the last. */
function house(...said) {
  const pages = new EventTarget();
  const server = { asked: 0, status: async () => said[Math.min(server.asked++, said.length - 1)] };
  const progress = new Progress(pages, server);
  const told = [];
  progress.addEventListener('change', () => told.push(progress.state));
  const change = async () => {
    pages.dispatchEvent(new Event('catalog'));
    await new Promise(setImmediate);
  };
  return { server, progress, told, change };
}

async function pass(milliseconds) {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    mock.timers.tick(1_000);
    await new Promise(setImmediate);
  }
}

test('a server at rest is polled once per change of the catalog, and there is nothing to display', async () => {
  const all = house(looking(10, 10));
  await all.change();
  await pass(60_000);
  assert.equal(all.server.asked, 1);
  await all.change();
  assert.equal(all.server.asked, 2);
  assert.deepEqual(all.told, []);
  assert.ok(all.progress.isThrough);
});

test('listeners hear of each step, including short ones', async () => {
  for (const [said, steps] of [[[looking(10, 10)], 0], [[looking(7, 10), looking(10, 10)], 1],
    [[looking(1, 10), looking(1, 10), looking(5, 10), looking(10, 10)], 2]]) {
    const all = house(...said);
    let learnt = 0;
    all.progress.addEventListener('learnt', () => (learnt += 1));
    await all.change();
    await pass(60_000);
    assert.equal(learnt, steps);
  }
});

test('a change during a poll is not missed', async () => {
  const all = house(looking(10, 10));
  all.change();
  await all.change();
  await pass(10_000);
  assert.equal(all.server.asked, 2);
});

test('work too short for its progress to be read is not displayed', async () => {
  const all = house(looking(7, 10), looking(10, 10));
  await all.change();
  await pass(60_000);
  assert.equal(all.server.asked, 3, 'after the end, it is polled once more for what the server decides then');
  assert.deepEqual(all.told, []);
});

test('the progress of scanning and indexing is displayed until both are done', async () => {
  const all = house(listing(100), listing(300), looking(20, 400), looking(390, 400), looking(400, 400));
  await all.change();
  await pass(60_000);
  assert.deepEqual(all.told, [
    { isListing: true, done: 0, total: 300 }, { isListing: false, done: 20, total: 400 },
    { isListing: false, done: 390, total: 400 }, null,
  ]);
  assert.equal(all.server.asked, 6, 'it is polled once after indexing was done');
});

test('the progress of scanning is displayed if files are not indexed', async () => {
  const all = house({ total: 1, scanning: true }, { total: 2, scanning: true }, { total: 3, scanning: false });
  await all.change();
  await pass(10_000);
  assert.deepEqual(all.told, [{ isListing: true, done: 0, total: 2 }, null]);
});

test('a scan that finds nothing new soon disappears from the display', async () => {
  const all = house({ total: 9, scanning: true });
  await all.change();
  await pass(60_000);
  assert.deepEqual(all.told, [{ isListing: true, done: 0, total: 9 }, null]);
});

test('files that cannot be indexed are not displayed forever, and are polled rarely', async () => {
  const all = house(looking(1, 10), ...Array.from({ length: 8 }, () => looking(8, 10)), looking(10, 10));
  await all.change();
  await pass(20_000);
  assert.deepEqual(all.told, [{ isListing: false, done: 8, total: 10 }, null]);
  assert.ok(!all.progress.isThrough);
  const before = all.server.asked;
  await pass(60_000);
  assert.equal(all.server.asked, before + 2);
  assert.equal(all.told.length, 2);
  await pass(60_000);
  assert.ok(all.progress.isThrough);
  assert.equal(all.told.length, 3, 'the completion was not reported');
});

test('a hidden page does not poll, and polls at once when it is visible', async () => {
  const all = house(looking(1, 10));
  await all.change();
  page.hidden = true;
  page.dispatchEvent(new Event('visibilitychange'));
  await pass(20_000);
  assert.equal(all.server.asked, 1);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  await pass(1_000);
  assert.equal(all.server.asked, 2);
});

test('a server that does not answer is polled again later', async () => {
  const all = house(looking(1, 10));
  const { status } = all.server;
  all.server.status = async () => {
    all.server.asked += 1;
    throw new Error('No response');
  };
  await all.change();
  await pass(25_000);
  assert.equal(all.server.asked, 1);
  all.server.status = status;
  await pass(10_000);
  assert.ok(all.server.asked > 1);
});

test('files that are not shown are told when their counts change', async () => {
  const raw = { count: 3, kinds: [{ kind: 'raw', title: 'RAW', count: 3 }] };
  const none = { count: 0, kinds: [] };
  const all = house({ ...looking(1, 1), notShown: none }, { ...looking(1, 1), notShown: raw }, { ...looking(1, 1), notShown: raw });
  let changes = 0;
  all.progress.addEventListener('notShown', () => (changes += 1));
  await all.change();
  assert.deepEqual([changes, all.progress.notShown], [0, none]);
  await all.change();
  await all.change();
  assert.deepEqual([changes, all.progress.notShown], [1, raw]);
});
