import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { Scroller } from '../../Public/grid/scroller.js';

/** The rest timer has certainly fired this long after the last scroll. Milliseconds. */
const long = 200;

/**
 * The window as far as it is scrolled: frames come when they are asked for.
 * @type {{scroll: (by: number) => void, tell: (type: string) => void, frame: () => void, frames: Map<number, () => void>}}
 */
let page;

beforeEach((context) => {
  /** @type {any} */ (context).mock.timers.enable({ apis: ['setTimeout'] });
  const world = /** @type {any} */ (globalThis);
  const listeners = new EventTarget();
  const frames = new Map();
  let asked = 0;
  world.scrollY = 0;
  world.document = { hidden: false };
  world.history = {};
  world.scrollTo = (/** @type {{top: number}} */ { top }) => (world.scrollY = top);
  world.addEventListener = listeners.addEventListener.bind(listeners);
  world.requestAnimationFrame = (/** @type {() => void} */ callback) => {
    frames.set((asked += 1), callback);
    return asked;
  };
  world.cancelAnimationFrame = (/** @type {number} */ number) => frames.delete(number);
  const tell = (/** @type {string} */ type) => void listeners.dispatchEvent(new Event(type));
  page = {
    frames,
    tell,
    scroll(by) {
      world.scrollY += by;
      tell('scroll');
    },
    frame() {
      for (const [number, callback] of frames) if (frames.delete(number)) callback();
    },
  };
});

/** @returns {{scroller: Scroller, rests: number[]}}  `rests`: the offsets at which it came to rest. */
function scrolled() {
  const scroller = new Scroller(/** @type {any} */ ({ style: {} }));
  scroller.resize(/** @type {any} */ ({ height: 100_000, viewHeight: 800 }), 0);
  /** @type {number[]} */
  const rests = [];
  scroller.addEventListener('rest', () => rests.push(scroller.offset));
  return { scroller, rests };
}

test('rest is reported once, after the movement, however many scrollend events the wheel causes', (context) => {
  const { scroller, rests } = scrolled();
  const { timers } = /** @type {any} */ (context).mock;
  for (let notch = 0; notch < 10; notch += 1) {
    page.tell('wheel');
    page.scroll(100);
    page.tell('scrollend');
    timers.tick(40);
    page.frame();
  }
  assert.deepEqual(rests, []);
  timers.tick(long);
  page.frame();
  assert.deepEqual(rests, [1_000]);
  assert.equal(scroller.velocity, 0);
  page.tell('scrollend');
  timers.tick(long);
  page.frame();
  assert.equal(rests.length, 1);
});

test('with frames longer than the rest timeout, a scroll at the start of a frame comes before the rest', (context) => {
  const { rests } = scrolled();
  const { timers } = /** @type {any} */ (context).mock;
  for (let frame = 0; frame < 5; frame += 1) {
    page.scroll(100);
    page.frame();
    timers.tick(long);
    assert.equal(page.frames.size, 1, 'a rest waits for the next frame');
  }
  page.scroll(100);
  page.frame();
  assert.deepEqual(rests, []);
  timers.tick(long);
  page.frame();
  assert.deepEqual(rests, [600]);
});

test('a hidden page, which has no frames, comes to rest, too', (context) => {
  const { rests } = scrolled();
  page.scroll(100);
  /** @type {any} */ (globalThis).document.hidden = true;
  /** @type {any} */ (context).mock.timers.tick(long);
  assert.deepEqual(rests, [100]);
  assert.equal(page.frames.size, 0);
});
