import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { SlotGroup } from '../../Public/loading/slot-group.js';
import { Slot } from '../../Public/loading/slot.js';

class LoaderHere {
  asked = [];
  here = new Set();

  request(slot) {
    this.asked.push(slot.rendition);
    slot.phase = 'wanted';
    this.here.add(slot);
  }

  adopt(slot) {
    this.here.add(slot);
  }

  leave(slot) {
    this.here.delete(slot);
  }

  release(slot) {
    this.here.delete(slot);
    slot.begin(-1, null);
  }

  hold() {}
  reorder() {}
}

class SlotHere extends Slot {
  constructor(slotGroup) {
    super('tile');
    this.slotGroup = slotGroup;
  }

  get need() {
    return this.slotGroup.need;
  }
}

const image = { id: 'i', name: 'i.jpg', width: 4_000, height: 3_000, links: {} };

function made() {
  const [byStream, byRequests] = [new LoaderHere(), new LoaderHere()];
  const slotGroup = new SlotGroup(byStream, byRequests);
  const slots = [7, 8].map((number) => {
    const slot = new SlotHere(slotGroup);
    slot.begin(number, image);
    slotGroup.request(slot);
    return slot;
  });
  return { byStream, byRequests, slotGroup, slots };
}

test('after a switch to token requests every slot uses them, whatever it displays', () => {
  const { byStream, byRequests, slotGroup, slots } = made();
  slots[0].phase = 'displayed';
  slotGroup.switchTransport(false);
  assert.deepEqual([byStream.here.size, byRequests.here.size], [0, 2]);
  assert.deepEqual(slots.map(({ phase, number }) => [phase, number]), [['displayed', 7], ['wanted', 8]]);
  slotGroup.switchTransport(true);
  assert.deepEqual([byStream.here.size, byRequests.here.size], [2, 0]);
});

test('with token requests a slot that needs more starts again; the stream notices by itself', () => {
  const { byStream, byRequests, slotGroup } = made();
  const need = { pixels: 900, side: 'longer' };
  slotGroup.setNeed(need);
  assert.deepEqual([byStream.asked, byRequests.asked], [['tile', 'tile'], []]);
  slotGroup.switchTransport(false);
  slotGroup.setNeed({ ...need, pixels: 2_000 });
  assert.deepEqual(byRequests.asked, ['1280', '1280', '2560', '2560']);
  slotGroup.setNeed({ ...need, pixels: 300 });
  assert.equal(byRequests.asked.length, 4);
});

test('with Save-Data slots get tiles, and so do slots without a known need', () => {
  const { byRequests, slotGroup, slots } = made();
  slotGroup.switchTransport(false);
  slotGroup.setNeed({ pixels: 2_000, side: 'longer', saveData: true });
  assert.equal(byRequests.asked.at(-1), 'tile');
  assert.equal(slots[0].rendition, 'tile');
});
