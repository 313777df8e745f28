import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Problem } from '../../Public/catalog/problem.js';
import { Proportions } from '../../Public/catalog/proportions.js';
import { Shape, ratiosPerWindow } from '../../Public/catalog/shape.js';

const total = 10 * ratiosPerWindow;

/** A page that shows an order, and a server that knows the aspect ratios of its pictures. */
function house({ sum = 300, doubtful = false } = {}) {
  const told = { revision: 1, total, block: total, parts: [0], sums: [sum] };
  const shape = new Shape(told, total);
  shape.isDoubtful = doubtful;
  const pages = Object.assign(new EventTarget(), { view: {}, revision: 1, total, shape });
  const asked = [];
  const server = {
    told,
    shape: async () => server.told,
    ratios: async (_view, first, count) => {
      asked.push(first / ratiosPerWindow);
      return { revision: 1, bytes: new Uint8Array(count).fill(128) };
    },
  };
  const proportions = new Proportions(pages, server);
  const heard = [];
  for (const type of ['known', 'shape']) proportions.addEventListener(type, () => heard.push(type));
  return { pages, server, proportions, asked, heard };
}

const turn = () => new Promise(setImmediate);

test('ratios of the viewport are fetched first, then those ahead, and none twice', async () => {
  const all = house();
  all.proportions.want(4 * ratiosPerWindow + 10, 4 * ratiosPerWindow + 60, 1);
  all.proportions.want(4 * ratiosPerWindow + 10, 4 * ratiosPerWindow + 60, 1);
  await turn();
  assert.deepEqual(all.asked, [4, 3]);
  assert.deepEqual(all.heard, ['known', 'known']);
  all.proportions.want(4 * ratiosPerWindow + 10, 4 * ratiosPerWindow + 60, 1);
  await turn();
  assert.deepEqual(all.asked, [4, 3, 5]);
  assert.deepEqual(all.pages.shape.ratios(3 * ratiosPerWindow, 3 * ratiosPerWindow).length, 3 * ratiosPerWindow);
  all.proportions.want(4 * ratiosPerWindow + 10, 4 * ratiosPerWindow + 60, 1);
  await turn();
  assert.equal(all.asked.length, 3);
});

test('a new shape is displayed once the ratios of the viewport have arrived, and only if it differs', async () => {
  const all = house();
  all.proportions.want(5, 60, 0);
  await turn();
  await all.proportions.renew();
  assert.deepEqual(all.heard, ['known'], 'an unchanged shape was reported');
  const before = all.pages.shape;
  all.server.told = { ...all.server.told, sums: [310] };
  await all.proportions.renew();
  assert.deepEqual(all.heard, ['known', 'shape']);
  assert.notEqual(all.pages.shape, before);
  assert.ok(all.pages.shape.ratios(5, 50));
  all.server.told = { ...all.server.told, revision: 2, sums: [320] };
  await all.proportions.renew();
  assert.equal(all.heard.length, 2, 'the shape of another revision was used');
});

test('a failed request for ratios is retried until it succeeds or is refused', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const all = house({ doubtful: true });
  const { shape } = all.server;
  const answers = [new Problem(503, 'Busy'), new Problem(0, 'No response')];
  all.server.shape = async () => {
    const problem = answers.shift();
    if (problem) throw problem;
    return shape();
  };
  all.pages.dispatchEvent(new Event('catalog'));
  for (let left = 1; left >= 0; left -= 1) {
    await turn();
    assert.equal(answers.length, left);
    assert.deepEqual(all.heard, []);
    context.mock.timers.tick(2_000);
  }
  await turn();
  assert.deepEqual(all.heard, ['shape']);

  const other = house({ doubtful: true });
  let asked = 0;
  other.server.shape = async () => {
    asked += 1;
    throw new Problem(409, 'Positions only');
  };
  other.pages.dispatchEvent(new Event('catalog'));
  await turn();
  context.mock.timers.tick(60_000);
  await turn();
  assert.equal(asked, 1);
});

test('a doubtful shape is requested again as soon as it is displayed', async () => {
  const all = house({ doubtful: true });
  all.pages.dispatchEvent(new Event('catalog'));
  await turn();
  assert.deepEqual(all.heard, ['shape']);
  assert.ok(!all.pages.shape.isDoubtful);
});
