import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Frames } from '../../Public/viewer/frames.js';

class FrameHere {
  image = null;
  index = -1;
  binds = 0;

  put(place, distance) {
    this.place = place;
    this.distance = distance;
  }

  bind(index, image) {
    if (this.image?.id !== image.id) this.binds += 1;
    this.image = image;
    this.index = index;
  }

  unbind() {
    this.image = null;
    this.index = -1;
  }
}

const total = 100;
const imageAt = (index) => ({ id: `i${index}` });

function made(knownAt = imageAt) {
  const images = { knownAt, load: async (index) => imageAt(index) };
  return new Frames({ make: () => new FrameHere(), images, slotGroup: { reorder: () => {} } });
}

const placed = (frames) => Object.fromEntries(frames.all.map(({ place, index }) => [place, index]));

test('the neighbours are prepared, and one more in the direction of travel', () => {
  const frames = made();
  frames.arrange(10, imageAt(10), { direction: 1, total });
  assert.deepEqual(placed(frames), { current: 10, next: 11, previous: 9, ahead: 12 });
  frames.arrange(9, imageAt(9), { direction: -1, total });
  assert.deepEqual(placed(frames), { current: 9, next: 10, previous: 8, ahead: 7 });
});

test('a step keeps everything that is prepared', () => {
  const frames = made();
  frames.arrange(10, imageAt(10), { direction: 1, total });
  const { current } = frames;
  const next = frames.neighbour(1);
  frames.arrange(11, imageAt(11), { direction: 1, total });
  assert.equal(frames.current, next);
  assert.equal(frames.neighbour(-1), current);
  assert.deepEqual(frames.all.map(({ binds }) => binds).sort(), [1, 1, 1, 2]);
});

test('frames ahead are more urgent than frames behind', () => {
  const frames = made();
  frames.arrange(10, imageAt(10), { direction: -1, total });
  const order = frames.all.toSorted((one, other) => one.distance - other.distance).map(({ place }) => place);
  assert.deepEqual(order, ['current', 'previous', 'next', 'ahead']);
});

test('there are no frames beyond the ends', () => {
  const frames = made();
  frames.arrange(99, imageAt(99), { direction: 1, total });
  assert.deepEqual(placed(frames), { current: 99, next: -1, previous: 98, ahead: -1 });
});

test('an image that becomes known late is displayed in its frame, unless the user has moved on', async () => {
  const frames = made(() => undefined);
  frames.arrange(10, imageAt(10), { direction: 1, total });
  assert.equal(frames.neighbour(1).index, -1);
  frames.arrange(50, imageAt(50), { direction: 1, total });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(placed(frames), { current: 50, next: 51, previous: 49, ahead: 52 });
});

test('a neighbour that failed to load is retried while it is a neighbour', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = [];
  const images = {
    knownAt: () => undefined,
    load: async (index) => {
      asked.push(index);
      if (asked.filter((each) => each === index).length === 1) throw new Error('No response');
      return imageAt(index);
    },
  };
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const frames = new Frames({ make: () => new FrameHere(), images, slotGroup: { reorder: () => {} } });
  frames.arrange(0, imageAt(0), { direction: 1, total });
  await turns();
  assert.deepEqual(asked, [1, 2]);
  assert.equal(frames.neighbour(1).image, null);
  context.mock.timers.tick(1_000);
  await turns();
  assert.equal(frames.neighbour(1).image?.id, 'i1');
  frames.empty();
  context.mock.timers.tick(60_000);
  await turns();
  assert.deepEqual(asked, [1, 2, 1, 2]);
});
