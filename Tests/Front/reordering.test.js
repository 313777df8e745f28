import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Problem } from '../../Public/catalog/problem.js';
import { View } from '../../Public/catalog/view.js';
import './server-tables.js';

/** The page finds out once which formats its browser decodes; this one decodes none. */
globalThis.Image = class {
  decode() {
    return Promise.reject(new Error('No browser'));
  }
};
const { Unreachable } = await import('../../Public/catalog/server.js');
const { Pages } = await import('../../Public/catalog/pages.js');
const { Reordering } = await import('../../Public/catalog/reordering.js');

/** A server whose orders a test changes. While it is held, every response waits until the test releases it. */
class Played {
  orders = new Map();
  revision = 1;
  asked = [];
  isHeld = false;
  #waiting = [];

  constructor(ids) {
    this.orders.set('', ids);
  }

  change(ids) {
    this.orders.set('', ids);
    this.revision += 1;
  }

  async page(view, offset, limit) {
    await this.#turn(`page ${view.text} ${offset}`);
    const ids = this.orders.get(view.text);
    if (!ids) throw new Problem(400, 'Bad Request', 'Not understood');
    const images = ids.slice(offset, offset + limit).map((id) => ({ id, name: id, links: {} }));
    return { revision: this.revision, total: ids.length, offset, images };
  }

  /** @type {object[]} */
  months = [];

  async timeline() {
    return { revision: this.revision, total: this.orders.get('sort=taken').length, months: this.months };
  }

  /** The present ids of renamed images. */
  renamed = new Map();

  presentID(id) {
    return this.renamed.get(id) ?? id;
  }

  async position(view, id) {
    await this.#turn(`position ${view.text} ${id}`);
    const index = this.orders.get(view.text).indexOf(this.presentID(id));
    return index < 0 ? undefined : index;
  }

  /** The aspect ratios are unknown. */
  async shape() {
    throw new Error('409');
  }

  async ratios() {
    throw new Error('409');
  }

  async #turn(question) {
    this.asked.push(question);
    if (this.isHeld) await new Promise((resolve) => this.#waiting.push(resolve));
  }

  letGo(count = Infinity) {
    for (const go of this.#waiting.splice(0, count)) go();
  }
}

const named = (from, to, letter = 'p') => Array.from({ length: to - from }, (_, at) => `${letter}${from + at}`);

/** A screen of twenty slots over some pages, and a follower of a picture. */
function house(ids, { first = 0, followed } = {}) {
  const server = new Played(ids);
  const pages = new Pages(server);
  const moves = [];
  const ground = {
    get span() {
      return { first: ground.first, last: ground.first + 19, before: 10, after: 30 };
    },
    first,
    isKnown: true,
    anchors: () => anchors(ground.first),
  };
  const anchors = (from) => {
    const up = Array.from({ length: 200 }, (_, at) => from + at);
    const down = Array.from({ length: 200 }, (_, at) => from - 1 - at);
    return [...up, ...down].flatMap((index) => {
      const image = index >= 0 ? pages.imageAt(index) : undefined;
      return image ? [{ id: image.id, index }] : [];
    });
  };
  const follower = {
    index: followed,
    anchors: () => (follower.index === undefined ? [] : anchors(follower.index)),
    follow: (index) => (follower.index = index),
  };
  pages.addEventListener('order', ({ detail }) => {
    moves.push(detail);
    ground.first += detail.to - detail.from;
  });
  const reordering = new Reordering({ pages, server, ground, followers: [follower] });
  return { server, pages, moves, ground, follower, reordering };
}

async function begun(ids, how = {}) {
  const all = house(ids, { ...how, first: 0 });
  await all.reordering.show(new View(), { at: how.first ?? 0 });
  all.ground.first = how.first ?? 0;
  all.moves.length = 0;
  return all;
}

const adopted = (pages) => new Promise((resolve) => pages.addEventListener('catalog', resolve, { once: true }));

async function told(all, ids) {
  all.server.change(ids);
  const done = adopted(all.pages);
  all.pages.checkAnnouncement(undefined, all.server.revision, ids.length);
  await done;
}

test('the image at the top keeps its place, however many were inserted before it', async () => {
  for (const more of [1, 99, 1_000]) {
    const all = await begun(named(0, 600), { first: 300 });
    await told(all, [...named(0, more, 'a'), ...named(0, 600)]);
    assert.deepEqual(all.moves, [{ from: 300, to: 300 + more, isOtherView: false }]);
    assert.equal(all.pages.imageAt(300 + more).id, 'p300');
    assert.ok(all.pages.imageAt(300 + more + 30) && all.pages.imageAt(300 + more - 10), 'the surroundings are not loaded');
  }
});

test('a view of which only a part can be had is displayed if the slot that it starts with is in that part', async () => {
  const all = house(named(0, 600));
  const page = all.server.page.bind(all.server);
  all.server.page = (view, offset, limit) => {
    if (offset === 200) return page(view, offset, limit);
    return Promise.reject(new Unreachable());
  };
  await assert.rejects(all.reordering.show(new View(), { at: 310 }), Unreachable);
  await assert.rejects(all.reordering.show(new View(), { at: 198 }), Unreachable);
  assert.equal(all.pages.total, undefined);
  assert.equal(await all.reordering.show(new View(), { at: 299 }), 299);
  assert.equal(all.pages.imageAt(299).id, 'p299');
  assert.equal(all.pages.imageAt(300), undefined);
});

test('a new order is displayed as a whole or not at all', { timeout: 20_000 }, async () => {
  const all = await begun(named(0, 600), { first: 300 });
  all.server.isHeld = true;
  all.server.change([...named(0, 1_000, 'a'), ...named(0, 600)]);
  const done = adopted(all.pages);
  all.pages.checkAnnouncement('', 2, 1_600);
  let isDone = false;
  done.then(() => (isDone = true));
  while (!isDone) {
    assert.equal(all.pages.imageAt(300)?.id, 'p300');
    assert.equal(all.pages.revision, 1);
    await new Promise(setImmediate);
    if (!isDone) all.server.letGo(1);
  }
  assert.equal(all.pages.imageAt(1_300).id, 'p300');
});

test('if the top image is removed the next on screen keeps its place, or else the nearest takes it', async () => {
  const all = await begun(named(0, 600), { first: 300 });
  await told(all, [...named(0, 10, 'a'), ...named(0, 300), ...named(303, 600)]);
  assert.deepEqual(all.moves, [{ from: 303, to: 310, isOtherView: false }]);
  const other = await begun(named(0, 600), { first: 300 });
  await told(other, [...named(0, 250), ...named(350, 600)]);
  assert.deepEqual(other.moves, [{ from: 300, to: 250, isOtherView: false }]);
  assert.equal(other.pages.imageAt(250).id, 'p350');
});

test('if no known image is left, the position is kept as far as it exists', async () => {
  const all = await begun(named(0, 600), { first: 300 });
  await told(all, named(0, 1_000, 'x'));
  assert.deepEqual(all.moves, [{ from: 300, to: 300, isOtherView: false }]);
  const other = await begun(named(0, 600), { first: 300 });
  await told(other, named(0, 20, 'x'));
  assert.deepEqual(other.moves, [{ from: 300, to: 19, isOtherView: false }]);
  const empty = await begun(named(0, 600), { first: 300 });
  await told(empty, []);
  assert.equal(empty.pages.total, 0);
});

test('a user looking at undated images stays there while those get their dates', async () => {
  const view = new View({ sort: 'taken' });
  const all = house([], { followed: 100 });
  const { server, pages, ground, reordering } = all;
  const dates = async (/** @type {string[]} */ dated, /** @type {string[]} */ undated) => {
    server.orders.set(view.text, [...dated, ...undated]);
    server.months = [{ month: '2019-06', first: 0, count: dated.length }, { month: null, first: dated.length, count: undated.length }];
    server.revision += 1;
  };
  await dates(named(0, 100), named(100, 600));
  await reordering.show(view, { at: 100 });
  ground.first = 100;
  all.follower.index = 100;
  const plain = ground.anchors;
  ground.anchors = () => plain().map((each) => ({ ...each, isUndated: each.index >= 100 }));
  all.moves.length = 0;
  // The pictures at the top have got their dates, and move to the beginning of their month.
  await dates([...named(100, 103), ...named(0, 100)], named(103, 600));
  const done = adopted(pages);
  pages.checkAnnouncement(view.text, server.revision, 600);
  await done;
  assert.deepEqual(all.moves, [{ from: 103, to: 103, isOtherView: false }]);
  assert.equal(pages.imageAt(103).id, 'p103');
  assert.equal(all.follower.index, 0, 'a follower did not move with its picture');
});

test('a follower gets the new position of its image, else of the next neighbour, else of the previous one', async () => {
  const all = await begun(named(0, 600), { first: 300 });
  await all.pages.load(20);
  all.follower.index = 20;
  await told(all, [...named(0, 5, 'a'), ...named(0, 600)]);
  assert.equal(all.follower.index, 25);
  assert.equal(all.pages.imageAt(25).id, 'p20', 'the neighbours are not loaded');
  const other = await begun(named(0, 600), { first: 300 });
  await other.pages.load(20);
  other.follower.index = 20;
  await told(other, [...named(0, 5, 'a'), ...named(0, 20), ...named(21, 600)]);
  assert.equal(other.pages.imageAt(other.follower.index).id, 'p21');
  const last = await begun(named(0, 310), { first: 280 });
  last.follower.index = 309;
  await told(last, [...named(0, 5, 'a'), ...named(0, 309)]);
  assert.equal(last.pages.imageAt(last.follower.index).id, 'p308');
});

test('an order that changes while it is read is read again, and displayed when it is consistent', async () => {
  const all = await begun(named(0, 600), { first: 300 });
  const { page } = all.server;
  let changes = 0;
  all.server.page = async (...question) => {
    const answer = await page.apply(all.server, question);
    if ((changes += 1) <= 2) all.server.change([...named(0, 200 * changes, 'a'), ...named(0, 600)]);
    return answer;
  };
  await told(all, [...named(0, 100, 'a'), ...named(0, 600)]);
  assert.equal(all.pages.imageAt(700).id, 'p300');
  assert.equal(all.moves.at(-1).to, 700);
});

test('a response of another revision is rejected, and makes the page look for the new order', async () => {
  const all = await begun(named(0, 600), { first: 0 });
  all.server.change(named(0, 600, 'x'));
  const done = adopted(all.pages);
  await all.pages.load(450);
  assert.equal(all.pages.imageAt(450), undefined);
  assert.ok(all.pages.isOld);
  await done;
  assert.equal(all.pages.imageAt(0).id, 'x0');
  assert.ok(!all.pages.isOld);
});

test('an order that keeps changing is followed at a limited rate, but at once while the viewport is unknown', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const clock = mock.method(performance, 'now', () => 1_000_000);
  try {
    const all = await begun(named(0, 600), { first: 300 });
    const tick = async (milliseconds) => {
      const now = performance.now() + milliseconds;
      clock.mock.mockImplementation(() => now);
      mock.timers.tick(milliseconds);
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
    };
    const change = (more) => {
      all.server.change([...named(0, more, 'a'), ...named(0, 600)]);
      all.pages.checkAnnouncement('', all.server.revision, 600 + more);
    };
    change(1);
    await tick(0);
    assert.equal(all.moves.length, 1, 'the first change was delayed');
    change(2);
    await tick(400);
    assert.equal(all.moves.length, 1);
    await tick(600);
    assert.equal(all.moves.length, 2);
    change(3);
    all.ground.isKnown = false;
    all.pages.want(0, 19, 1);
    await tick(150);
    assert.equal(all.moves.length, 3);
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
});

test('another view starts at its beginning, or with an image, and responses of the previous view are dropped', async () => {
  const all = await begun(named(0, 600), { first: 300 });
  const view = new View({ sort: 'name', direction: 'desc' });
  all.server.orders.set(view.text, named(0, 600).reverse());
  assert.equal(await all.reordering.show(view, { image: 'p300' }), 299);
  assert.equal(all.pages.imageAt(299).id, 'p300');
  assert.deepEqual(all.moves.at(-1), { from: 300, to: 299, isOtherView: true });
  all.server.isHeld = true;
  const late = all.pages.load(555);
  all.server.isHeld = false;
  assert.equal(await all.reordering.show(new View()), 0);
  all.server.letGo();
  await late;
  assert.equal(all.pages.imageAt(555), undefined);
  assert.equal(all.pages.imageAt(0).id, 'p0');
});

test('the view requested last wins, whichever response arrives first', async () => {
  const all = await begun(named(0, 600));
  const views = ['s', 'se', 'sea'].map((q) => new View({ q }));
  views.forEach((view, at) => all.server.orders.set(view.text, named(0, 10 - at, view.q)));
  all.server.isHeld = true;
  const shown = views.map((view) => all.reordering.show(view));
  for (let step = 0; step < 5; step += 1) {
    all.server.letGo();
    await new Promise(setImmediate);
  }
  assert.deepEqual(await Promise.all(shown), [undefined, undefined, 0]);
  assert.equal(all.pages.view.q, 'sea');
  assert.equal(all.pages.total, 8);
});

test('an invalid view leaves the displayed one and reports the problem', async () => {
  const all = await begun(named(0, 600));
  await assert.rejects(all.reordering.show(new View({ q: 'taken:never' })), { status: 400 });
  assert.ok(all.pages.view.isPlain);
  assert.equal(all.pages.imageAt(0).id, 'p0');
});

test('announcements about another view are ignored', async () => {
  const all = await begun(named(0, 600));
  all.pages.checkAnnouncement('sort=name', 9, 9);
  assert.ok(!all.pages.isOld);
  all.pages.checkAnnouncement(undefined, 1, 600);
  assert.ok(!all.pages.isOld);
  all.pages.checkAnnouncement(undefined, 0, 0);
  assert.ok(!all.pages.isOld, 'an order that is not built yet was followed');
  all.pages.checkAnnouncement(undefined, 2, 601);
  assert.ok(all.pages.isOld);
  all.pages.checkAnnouncement(undefined, 1, 600);
  assert.ok(!all.pages.isOld, 'an announcement was not taken back');
});

test("if the stream's node is at a higher revision than the node for requests, the page settles for the latter", async () => {
  const all = await begun(named(0, 600), { first: 300 });
  all.pages.checkAnnouncement('', 7, 600);
  assert.equal(all.pages.isOld, true);
  for (let round = 0; round < 3; round += 1) await adopted(all.pages);
  assert.equal(all.pages.isOld, false);
  // Announcements of the node that answers requests are followed as before.
  await told(all, [...named(0, 5, 'a'), ...named(0, 600)]);
  assert.equal(all.pages.imageAt(305).id, 'p300');
});
