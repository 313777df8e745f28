import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../Public/catalog/problem.js';
import { View } from '../../Public/catalog/view.js';
import { nameOfMonth } from '../../Public/grid/months.js';
import './server-tables.js';

/** The page finds out once which formats its browser decodes; this one decodes none. */
globalThis.Image = class {
  decode() {
    return Promise.reject(new Error('No browser'));
  }
};
const { PendingOrder } = await import('../../Public/catalog/pending-order.js');

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

test('an order sorted by date comes with its months, and another requests none', async () => {
  const server = new Played(byMonths(30, 200, 20));
  const pending = new PendingOrder(server, taken);
  await pending.load(0, 120);
  assert.deepEqual(pending.months, byMonths(30, 200, 20));
  assert.deepEqual(server.asked, ['page 0', 'page 100', 'timeline sort=taken']);
  await pending.load(0, 249);
  assert.equal(server.asked.length, 4, 'the months were requested twice');
  const other = new Played(byMonths(250));
  const plain = new PendingOrder(other, View.read('sort=name'));
  await plain.load(0, 120);
  assert.deepEqual([plain.months, other.asked], [[], ['page 0', 'page 100']]);
});

test('months of another revision than the pages are read again, whichever is older', async () => {
  for (const first of ['page', 'timeline']) {
    const server = new Played(byMonths(30, 20), byMonths(31, 20));
    const answer = server[first];
    server[first] = async (...question) => {
      const told = await answer.apply(server, question);
      server.at = 1;
      return told;
    };
    // The other request gets its response after that.
    const other = first === 'page' ? 'timeline' : 'page';
    const late = server[other];
    server[other] = async (...question) => {
      await new Promise(setImmediate);
      return late.apply(server, question);
    };
    const pending = new PendingOrder(server, taken);
    await pending.load(0, 30);
    assert.equal(pending.revision, 2, `${first} first`);
    assert.deepEqual(pending.months, byMonths(31, 20));
    assert.equal(pending.pages.get(0)[0].id, '1-0');
  }
});

test('months of an order that keeps changing are accepted, and cut to its number of images', async () => {
  const revisions = Array.from({ length: 40 }, (_, at) => byMonths(30, 20 + at));
  const server = new Played(...revisions);
  const { timeline } = server;
  server.timeline = async (view) => {
    server.at += 1;
    return timeline.call(server, view);
  };
  const pending = new PendingOrder(server, taken);
  await pending.load(0, 20);
  assert.equal(server.asked.length, 8);
  assert.equal(pending.total, 53);
  assert.deepEqual(pending.months, byMonths(30, 23), 'the months were not cut to the total');
});

test('an order whose months are not available is displayed without them', async () => {
  const server = new Played(byMonths(30, 20));
  server.timeline = async () => {
    server.asked.push('timeline');
    throw new Problem(503, 'Busy', '');
  };
  const pending = new PendingOrder(server, taken);
  await pending.load(0, 20);
  assert.equal(pending.pages.get(0).length, 50);
  assert.deepEqual(pending.months, []);
  assert.deepEqual(server.asked, ['page 0', 'timeline']);
});

test('an order comes with its shape', async () => {
  const server = new Played(byMonths(30, 200, 20), byMonths(31, 200, 20));
  const { timeline } = server;
  // It has another revision than the pages, so everything is read again.
  server.timeline = async (view) => {
    server.at = 1;
    return timeline.call(server, view);
  };
  const pending = new PendingOrder(server, taken);
  await pending.load(0, 120);
  assert.equal(pending.revision, 2);
  const { shape } = pending;
  assert.deepEqual(shape.pieces(0, 251).map(({ first, count, sum }) => [first, count, sum]),
    [[0, 31, 46.5], [31, 200, 300], [231, 20, 30]]);
  assert.deepEqual(shape.ratios(0, 2), [2 ** (-27 / 32), 2 ** (-27 / 32)]);
  assert.ok(pending.covers(0, 120) && !shape.isDoubtful);
});

test('a shape of another revision is accepted, and marked as doubtful', async () => {
  for (const name of ['shape', 'ratios']) {
    const server = new Played(byMonths(30, 20));
    const told = server[name];
    server[name] = async (...question) => ({ ...(await told.apply(server, question)), revision: 7 });
    const pending = new PendingOrder(server, taken);
    await pending.load(0, 20);
    assert.equal(server.asked.length, 2, 'the order itself was read again');
    assert.ok(pending.shape.isDoubtful);
  }
});

test('an order without a shape is displayed as if all images had the same aspect ratio', async () => {
  const server = new Played(byMonths(30, 20));
  for (const name of ['shape', 'ratios']) {
    server[name] = async () => {
      throw new Problem(409, 'Positions only', '');
    };
  }
  const pending = new PendingOrder(server, taken);
  await pending.load(0, 20);
  assert.equal(pending.pages.get(0).length, 50);
  assert.ok(pending.shape.isEven);
  assert.deepEqual(pending.shape.ratios(7, 1), [4 / 3]);
});

test('a shape is doubtful if the server was busy, and not if it refused', async () => {
  for (const [status, isDoubtful] of [[503, true], [429, true], [0, true], [409, false]]) {
    const server = new Played(byMonths(300, 0));
    server.shape = async () => {
      throw new Problem(status, 'No');
    };
    const pending = new PendingOrder(server, new View());
    await pending.load(0, 20);
    assert.equal(pending.shape.isDoubtful, isDoubtful, String(status));
  }
});

test('a month is displayed by its usual name', () => {
  const names = ['June 2019', 'December 987', 'Date unknown', '12345-06'];
  assert.deepEqual(['2019-06', '0987-12', null, '12345-06'].map(nameOfMonth), names);
});
