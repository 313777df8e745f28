import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

import { Slideshow } from '../../Public/viewer/slideshow.js';

let isReady = true;
let advanced = 0;
/** @type {Slideshow} */
let show;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  isReady = true;
  advanced = 0;
  show = new Slideshow({
    isReady: () => isReady,
    advance: () => {
      advanced += 1;
      show.begin();
    },
    onChange: () => {},
  });
  show.seconds = 3;
});

test('each image stays for its time', () => {
  mock.timers.tick(9_000);
  assert.equal(advanced, 0);
  show.play();
  mock.timers.tick(2_999);
  assert.equal(advanced, 0);
  mock.timers.tick(1);
  assert.equal(advanced, 1);
  mock.timers.tick(3_000);
  assert.equal(advanced, 2);
});

test('the slideshow waits for the next image and continues as soon as it is ready', () => {
  isReady = false;
  show.play();
  mock.timers.tick(10_000);
  assert.equal(advanced, 0);
  isReady = true;
  show.check();
  assert.equal(advanced, 1);
  // The one after it has its whole time.
  show.check();
  mock.timers.tick(2_999);
  assert.equal(advanced, 1);
});

test('the slideshow does not advance while it is paused or hidden', () => {
  show.play();
  show.pause();
  mock.timers.tick(10_000);
  show.check();
  assert.equal(advanced, 0);
  show.play();
  mock.timers.tick(2_000);
  show.hold(true);
  mock.timers.tick(10_000);
  assert.equal(advanced, 0);
  show.hold(false);
  mock.timers.tick(2_999);
  assert.equal(advanced, 0);
  mock.timers.tick(1);
  assert.equal(advanced, 1);
});

test('a new time per image takes effect at once', () => {
  show.play();
  mock.timers.tick(2_000);
  show.seconds = 10;
  mock.timers.tick(9_999);
  assert.equal(advanced, 0);
  mock.timers.tick(1);
  assert.equal(advanced, 1);
});
