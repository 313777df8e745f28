import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Selection } from '../../Public/sharing/selection.js';

globalThis.document = { querySelector: () => null, documentElement: { toggleAttribute() {} } };

/** A page with a grid that shows a view of `total` images, and its server. */
function page({ total = 3_000 } = {}) {
  /** The images of the order, in its sequence. */
  const order = Array.from({ length: total }, (_, at) => `i${at}`);
  const pages = { view: { text: '' }, revision: 7, total };
  const element = { getAttribute: () => null, setAttribute() {} };
  const grid = Object.assign(new EventTarget(), {
    cellAt: (index) => ({ element, image: { id: order[index] } }),
    span: { first: 0, last: 9, before: 0, after: 0 },
  });
  const requests = [];
  const server = {
    revision: 7,
    order,
    async position(_view, id) {
      const index = order.indexOf(id);
      return index < 0 ? undefined : index;
    },
    async page(_view, offset, limit) {
      requests.push([offset, limit]);
      return { revision: server.revision, images: order.slice(offset, offset + limit).map((id) => ({ id })) };
    },
  };
  const messages = [];
  const selection = new Selection({
    grid, pages, server, announce() {}, formatNumber: String, isMeantElsewhere: () => false,
    showMessage: (text) => messages.push(text),
  });
  return { selection, pages, server, requests, messages };
}

test('a range includes images whose slots are not in the document', async () => {
  const { selection, requests } = page();
  selection.toggle(5);
  await selection.extendTo(704);
  assert.equal(selection.images.length, 700);
  assert.deepEqual([...selection.images].sort()[0], 'i10');
  assert.deepEqual(requests, [[5, 500], [505, 200]]);
  // The next range begins where this one ended.
  await selection.extendTo(710);
  assert.equal(selection.images.length, 706);
});

test('a range can extend upwards', async () => {
  const { selection } = page();
  selection.toggle(8);
  await selection.extendTo(6);
  assert.deepEqual([...selection.images].sort(), ['i6', 'i7', 'i8']);
  // The next range begins where this one ended.
  await selection.extendTo(4);
  assert.equal(selection.images.length, 5);
});

test('a range that would exceed the limit of a share adds nothing', async () => {
  const { selection, messages, requests } = page();
  selection.toggle(0);
  await selection.extendTo(1_000);
  assert.deepEqual(selection.images, ['i0']);
  assert.equal(requests.length, 0);
  selection.toggle(0);
  selection.toggle(0);
  await selection.extendTo(999);
  assert.equal(selection.images.length, 1_000);
  await selection.extendTo(1_000);
  assert.equal(selection.images.length, 1_000);
  await selection.addAll();
  assert.equal(messages.length, 3);
  assert.match(messages[0], /1,000/);
});

test('a range keeps to its pictures when others come and go around them', async () => {
  const { selection, server } = page();
  selection.toggle(4);
  // One more at the beginning, one less within, which the page does not know yet.
  server.order.unshift('new');
  server.order.splice(server.order.indexOf('i6'), 1);
  await selection.extendTo(9);
  const last = server.order[9];
  assert.deepEqual([...selection.images].sort(), ['i4', 'i5', 'i7', 'i8', last].sort());
});

test('a range from a picture that is gone selects only its end', async () => {
  const { selection, server } = page();
  selection.toggle(2);
  server.order.splice(2, 1);
  await selection.extendTo(6);
  assert.deepEqual(selection.images, ['i2', 'i7']);
});

test('a range whose order changes while it is read selects nothing', async () => {
  const { selection, server, messages } = page();
  selection.toggle(2);
  const { page: read } = server;
  server.page = async (...words) => ({ ...(await read(...words)), revision: (server.revision += 1) });
  await selection.extendTo(700);
  assert.deepEqual(selection.images, ['i2']);
  assert.equal(messages.length, 1);
});

test('a range that is read for a selection that has ended changes nothing', async () => {
  for (const beginsAgain of [false, true]) {
    const { selection } = page();
    selection.toggle(2);
    const range = selection.extendTo(6);
    selection.end();
    if (beginsAgain) selection.toggle(9);
    await range;
    assert.deepEqual(selection.images, beginsAgain ? ['i9'] : []);
    assert.equal(selection.isActive, beginsAgain);
  }
});

test('a selection is incomplete while a range is being read', async () => {
  const { selection } = page();
  selection.toggle(2);
  assert.equal(selection.isComplete, true);
  const range = selection.extendTo(6);
  assert.equal(selection.isComplete, false);
  await range;
  assert.equal(selection.isComplete, true);
});
