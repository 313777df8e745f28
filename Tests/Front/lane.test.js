import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Lane } from '../../Public/loading/lane.js';
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
  constructor(lane) {
    super('tile');
    this.lane = lane;
  }

  get need() {
    return this.lane.need;
  }
}

const image = { id: 'i', name: 'i.jpg', width: 4_000, height: 3_000, links: {} };

function made() {
  const [byStream, byRequests] = [new LoaderHere(), new LoaderHere()];
  const lane = new Lane(byStream, byRequests);
  const slots = [7, 8].map((number) => {
    const slot = new SlotHere(lane);
    slot.begin(number, image);
    lane.request(slot);
    return slot;
  });
  return { byStream, byRequests, lane, slots };
}

test('who goes over to requests is found by them alone, whether it shows something or not', () => {
  const { byStream, byRequests, lane, slots } = made();
  slots[0].phase = 'shown';
  lane.take(false);
  assert.deepEqual([byStream.here.size, byRequests.here.size], [0, 2]);
  assert.deepEqual(slots.map(({ phase, number }) => [phase, number]), [['shown', 7], ['wanted', 8]]);
  lane.take(true);
  assert.deepEqual([byStream.here.size, byRequests.here.size], [2, 0]);
});

test('by requests a slot that needs more begins again; the stream finds that by itself', () => {
  const { byStream, byRequests, lane } = made();
  const need = { pixels: 900, side: 'longer' };
  lane.look(need);
  assert.deepEqual([byStream.asked, byRequests.asked], [['tile', 'tile'], []]);
  lane.take(false);
  lane.look({ ...need, pixels: 2_000 });
  assert.deepEqual(byRequests.asked, ['1280', '1280', '2560', '2560']);
  lane.look({ ...need, pixels: 300 });
  assert.equal(byRequests.asked.length, 4);
});

test('who saves data is given tiles, and without a need a tile does', () => {
  const { byRequests, lane, slots } = made();
  lane.take(false);
  lane.look({ pixels: 2_000, side: 'longer', saveData: true });
  assert.equal(byRequests.asked.at(-1), 'tile');
  assert.equal(slots[0].rendition, 'tile');
});
