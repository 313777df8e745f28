import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../Public/catalog/problem.js';
import { View } from '../../Public/catalog/view.js';
import { nameOfMonth } from '../../Public/grid/months.js';

/** The page finds out once which formats its browser decodes; this one decodes none. */
globalThis.Image = class {
  decode() {
    return Promise.reject(new Error('No browser'));
  }
};
const { Draft } = await import('../../Public/catalog/draft.js');

const taken = View.read('sort=taken');
const byMonths = (...counts) => {
  let first = 0;
  return counts.map((count, at) => {
    const month = { month: at === counts.length - 1 ? null : `2019-0${at + 1}`, first, count };
    first += count;
    return month;
  });
};

/** A server whose order has these months, revision after revision; each answer may be followed by another revision. */
class Played {
  asked = [];

  constructor(...revisions) {
    this.revisions = revisions;
    this.at = 0;
  }

  get #months() {
    return this.revisions[Math.min(this.at, this.revisions.length - 1)];
  }

  get #total() {
    return this.#months.reduce((sum, { count }) => sum + count, 0);
  }

  async page(view, offset, limit) {
    this.asked.push(`page ${offset}`);
    const count = Math.max(0, Math.min(limit, this.#total - offset));
    const images = Array.from({ length: count }, (_, at) => ({ id: `${this.at}-${offset + at}` }));
    return { revision: this.at + 1, total: this.#total, offset, images };
  }

  async timeline(view) {
    this.asked.push(`timeline ${view.text}`);
    return { revision: this.at + 1, total: this.#total, months: this.#months };
  }

  async shape() {
    const sums = this.#months.map(({ count }) => count * 1.5);
    const parts = this.#months.map(({ first }) => first);
    return { revision: this.at + 1, total: this.#total, block: 256, parts, sums };
  }

  async ratios(view, first, count) {
    const bytes = new Uint8Array(Math.max(0, Math.min(count, this.#total - first))).fill(this.at + 100);
    return { revision: this.at + 1, bytes };
  }
}

test('an order that is sorted by months comes with them, and another asks for none', async () => {
  const server = new Played(byMonths(30, 200, 20));
  const draft = new Draft(server, taken);
  await draft.load(0, 120);
  assert.deepEqual(draft.months, byMonths(30, 200, 20));
  assert.deepEqual(server.asked, ['page 0', 'page 100', 'timeline sort=taken']);
  await draft.load(0, 249);
  assert.equal(server.asked.length, 4, 'they are asked for once');
  const other = new Played(byMonths(250));
  const plain = new Draft(other, View.read('sort=name'));
  await plain.load(0, 120);
  assert.deepEqual([plain.months, other.asked], [[], ['page 0', 'page 100']]);
});

test('months of another revision than the pages are read again, whichever of the two is older', async () => {
  for (const first of ['page', 'timeline']) {
    const server = new Played(byMonths(30, 20), byMonths(31, 20));
    const answer = server[first];
    server[first] = async (...question) => {
      const told = await answer.apply(server, question);
      server.at = 1;
      return told;
    };
    // The other of the two is answered after that.
    const other = first === 'page' ? 'timeline' : 'page';
    const late = server[other];
    server[other] = async (...question) => {
      await new Promise(setImmediate);
      return late.apply(server, question);
    };
    const draft = new Draft(server, taken);
    await draft.load(0, 30);
    assert.equal(draft.revision, 2, `${first} first`);
    assert.deepEqual(draft.months, byMonths(31, 20));
    assert.equal(draft.pages.get(0)[0].id, '1-0');
  }
});

test('months of an order that never rests are put up with, and are as many pictures as it has', async () => {
  const revisions = Array.from({ length: 40 }, (_, at) => byMonths(30, 20 + at));
  const server = new Played(...revisions);
  const { timeline } = server;
  server.timeline = async (view) => {
    server.at += 1;
    return timeline.call(server, view);
  };
  const draft = new Draft(server, taken);
  await draft.load(0, 20);
  assert.equal(server.asked.length, 8);
  assert.equal(draft.total, 53);
  assert.deepEqual(draft.months, byMonths(30, 23), 'they were told of 54');
});

test('an order whose months cannot be had is shown without them', async () => {
  const server = new Played(byMonths(30, 20));
  server.timeline = async () => {
    server.asked.push('timeline');
    throw new Problem(503, 'Busy', '');
  };
  const draft = new Draft(server, taken);
  await draft.load(0, 20);
  assert.equal(draft.pages.get(0).length, 50);
  assert.deepEqual(draft.months, []);
  assert.deepEqual(server.asked, ['page 0', 'timeline']);
});

test('an order comes with what its pictures look like', async () => {
  const server = new Played(byMonths(30, 200, 20), byMonths(31, 200, 20));
  const { timeline } = server;
  // Of another revision than the pages: all is read again.
  server.timeline = async (view) => {
    server.at = 1;
    return timeline.call(server, view);
  };
  const draft = new Draft(server, taken);
  await draft.load(0, 120);
  assert.equal(draft.revision, 2);
  const { shape } = draft;
  assert.deepEqual(shape.pieces(0, 251).map(({ first, count, sum }) => [first, count, sum]),
    [[0, 31, 46.5], [31, 200, 300], [231, 20, 30]]);
  assert.deepEqual(shape.ratios(0, 2), [2 ** (-27 / 32), 2 ** (-27 / 32)]);
  assert.ok(draft.covers(0, 120) && !shape.isDoubtful);
});

test('what is told of another revision is put up with, and known to be doubtful', async () => {
  for (const name of ['shape', 'ratios']) {
    const server = new Played(byMonths(30, 20));
    const told = server[name];
    server[name] = async (...question) => ({ ...(await told.apply(server, question)), revision: 7 });
    const draft = new Draft(server, taken);
    await draft.load(0, 20);
    assert.equal(server.asked.length, 2, 'the order itself is asked for once');
    assert.ok(draft.shape.isDoubtful);
  }
});

test('an order of which it cannot be had what its pictures look like is shown as if all were alike', async () => {
  const server = new Played(byMonths(30, 20));
  for (const name of ['shape', 'ratios']) {
    server[name] = async () => {
      throw new Problem(409, 'Positions only', '');
    };
  }
  const draft = new Draft(server, taken);
  await draft.load(0, 20);
  assert.equal(draft.pages.get(0).length, 50);
  assert.ok(draft.shape.isEven);
  assert.deepEqual(draft.shape.ratios(7, 1), [4 / 3]);
});

test('what its pictures look like is doubtful where a server was too busy to tell, and not where it refused', async () => {
  for (const [status, isDoubtful] of [[503, true], [429, true], [0, true], [409, false]]) {
    const server = new Played(byMonths(300, 0));
    server.shape = async () => {
      throw new Problem(status, 'No');
    };
    const draft = new Draft(server, new View());
    await draft.load(0, 20);
    assert.equal(draft.shape.isDoubtful, isDoubtful, String(status));
  }
});

test('a month is called as people call it', () => {
  const names = ['June 2019', 'December 987', 'Date unknown', '12345-06'];
  assert.deepEqual(['2019-06', '0987-12', null, '12345-06'].map(nameOfMonth), names);
});
