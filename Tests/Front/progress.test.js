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

/** A server that says one of these after the other, and then the last again and again. */
function house(...said) {
  const pages = new EventTarget();
  const server = { asked: 0, status: async () => said[Math.min(server.asked++, said.length - 1)] };
  const progress = new Progress(pages, server);
  const told = [];
  progress.addEventListener('change', () => told.push(progress.standing));
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

test('a server at rest is asked once for each change of the catalog, and there is nothing to tell', async () => {
  const all = house(looking(10, 10));
  await all.change();
  await pass(60_000);
  assert.equal(all.server.asked, 1);
  await all.change();
  assert.equal(all.server.asked, 2);
  assert.deepEqual(all.told, []);
  assert.ok(all.progress.isThrough);
});

test('whoever waits for more to be learnt hears of each step, those that are over soon among them', async () => {
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

test('a change that comes while the server is asked is not missed', async () => {
  const all = house(looking(10, 10));
  all.change();
  await all.change();
  await pass(10_000);
  assert.equal(all.server.asked, 2);
});

test('what is over sooner than one can read of it is not told', async () => {
  const all = house(looking(7, 10), looking(10, 10));
  await all.change();
  await pass(60_000);
  assert.equal(all.server.asked, 2);
  assert.deepEqual(all.told, []);
});

test('how far the listing and the looking into files have come is told until they are through', async () => {
  const all = house(listing(100), listing(300), looking(20, 400), looking(390, 400), looking(400, 400));
  await all.change();
  await pass(60_000);
  assert.deepEqual(all.told, [
    { isListing: true, done: 0, total: 300 }, { isListing: false, done: 20, total: 400 },
    { isListing: false, done: 390, total: 400 }, null,
  ]);
  assert.equal(all.server.asked, 5, 'and after that nobody is asked');
});

test('where files are not looked into, their listing is told', async () => {
  const all = house({ total: 1, scanning: true }, { total: 2, scanning: true }, { total: 3, scanning: false });
  await all.change();
  await pass(10_000);
  assert.deepEqual(all.told, [{ isListing: true, done: 0, total: 2 }, null]);
});

test('a listing by which nothing new is found is soon not told of', async () => {
  const all = house({ total: 9, scanning: true });
  await all.change();
  await pass(60_000);
  assert.deepEqual(all.told, [{ isListing: true, done: 0, total: 9 }, null]);
});

test('files that cannot be looked into are not told of for ever, and rarely asked after', async () => {
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
  assert.equal(all.told.length, 3, 'and that all is done in the end is told');
});

test('while nobody looks at the page the server is not asked, and at once when somebody does', async () => {
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

test('a server that does not answer is asked again later', async () => {
  const all = house(looking(1, 10));
  const { status } = all.server;
  all.server.status = async () => {
    all.server.asked += 1;
    throw new Error('Nobody answers');
  };
  await all.change();
  await pass(25_000);
  assert.equal(all.server.asked, 1);
  all.server.status = status;
  await pass(10_000);
  assert.ok(all.server.asked > 1);
});
