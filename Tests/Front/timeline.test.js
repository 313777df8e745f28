import assert from 'node:assert/strict';
import { test } from 'node:test';

import { View } from '../../Public/catalog/view.js';
import { Timeline } from '../../Public/finding/timeline.js';

function house() {
  const asked = [];
  const months = [
    { month: '2019-06', first: 0, count: 10 }, { month: '2019-08', first: 10, count: 1 },
    { month: null, first: 11, count: 4 },
  ];
  const pages = { view: View.read('sort=taken'), revision: 1 };
  const server = {
    timeline: async (view) => {
      asked.push(view.text);
      return { revision: 1, total: 15, months };
    },
  };
  return { asked, pages, timeline: new Timeline(pages, server) };
}

test('the month of a slot is told once it is known, and of what has no date none', async () => {
  const { asked, timeline } = house();
  assert.equal(timeline.monthAt(0), '');
  assert.equal(timeline.monthAt(3), '');
  await new Promise(setImmediate);
  const told = [0, 9, 10, 11, 14].map((index) => timeline.monthAt(index));
  assert.deepEqual(told, ['June 2019', 'June 2019', 'August 2019', '', '']);
  assert.deepEqual(asked, ['sort=taken']);
});

test('another order has other months, and one that is not of dates has none', async () => {
  const { asked, pages, timeline } = house();
  timeline.monthAt(0);
  await new Promise(setImmediate);
  pages.revision = 2;
  assert.equal(timeline.monthAt(0), 'June 2019');
  pages.view = View.read('sort=taken&direction=desc');
  assert.equal(timeline.monthAt(0), '', 'those of another view are not right');
  await new Promise(setImmediate);
  assert.equal(asked.length, 3);
  pages.view = new View();
  assert.equal(timeline.monthAt(0), '');
  assert.equal(asked.length, 3);
});
