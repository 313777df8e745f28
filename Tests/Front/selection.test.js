import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Selection } from '../../Public/sharing/selection.js';

globalThis.document = { querySelector: () => null, documentElement: { toggleAttribute() {} } };

/** A grid that shows a view of `total` images, of which it has the first ten slots. */
function page({ total = 3_000 } = {}) {
  const pages = { view: { text: '' }, revision: 7, total };
  const element = { getAttribute: () => null, setAttribute() {} };
  const grid = Object.assign(new EventTarget(), {
    cellAt: (index) => (index < 10 ? { element, image: { id: `i${index}` } } : undefined),
    span: { first: 0, last: 9, before: 0, after: 0 },
  });
  const asked = [];
  const server = {
    revision: 7,
    async page(_view, offset, limit) {
      asked.push([offset, limit]);
      return { revision: server.revision, images: Array.from({ length: limit }, (_, at) => ({ id: `i${offset + at}` })) };
    },
  };
  const messages = [];
  const selection = new Selection({
    grid, pages, server, announce() {}, formatNumber: String, isMeantElsewhere: () => false,
    showMessage: (text) => messages.push(text),
  });
  return { selection, pages, server, asked, messages };
}

test('a range includes images whose slots are not in the document', async () => {
  const { selection, asked } = page();
  selection.toggle(5);
  await selection.extendTo(704);
  assert.equal(selection.images.length, 700);
  assert.deepEqual([...selection.images].sort()[0], 'i10');
  assert.deepEqual(asked, [[5, 500], [505, 200]]);
  // The next range begins where this one ended.
  await selection.extendTo(710);
  assert.equal(selection.images.length, 706);
});

test('a range goes up, too', async () => {
  const { selection } = page();
  selection.toggle(8);
  await selection.extendTo(6);
  assert.deepEqual([...selection.images].sort(), ['i6', 'i7', 'i8']);
});

test('a selection that a link cannot show is refused as a whole', async () => {
  const { selection, messages, asked } = page();
  selection.toggle(0);
  await selection.extendTo(1_000);
  assert.deepEqual(selection.images, ['i0']);
  assert.equal(asked.length, 0);
  await selection.extendTo(999);
  assert.equal(selection.images.length, 1_000);
  await selection.extendTo(1_000);
  assert.equal(selection.images.length, 1_000);
  await selection.addAll();
  assert.equal(messages.length, 3);
  assert.match(messages[0], /1,000/);
});

test('a range whose beginning belongs to another order selects only its end', async () => {
  for (const change of [{ revision: 8 }, { view: { text: 'q=sea' } }]) {
    const { selection, pages, asked } = page();
    selection.toggle(2);
    Object.assign(pages, change);
    await selection.extendTo(6);
    assert.deepEqual(selection.images, ['i2', 'i6']);
    assert.equal(asked.length, 0);
  }
});

test('a range of an order that the page does not show yet selects nothing', async () => {
  const { selection, server, messages } = page();
  selection.toggle(2);
  server.revision = 8;
  await selection.extendTo(6);
  assert.deepEqual(selection.images, ['i2']);
  assert.equal(messages.length, 1);
});

test('a range that arrives after the selection has ended changes nothing', async () => {
  const { selection } = page();
  selection.toggle(2);
  const range = selection.extendTo(6);
  selection.end();
  await range;
  assert.deepEqual(selection.images, []);
  assert.equal(selection.isActive, false);
});
