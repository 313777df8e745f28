import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { Motion } from '../../Public/stream/motion.js';

const frame = 1_000 / 60;

/** Scrolls as `placeAt` (milliseconds to pixels) says until `end`, in whole pixels, and hands each frame to `each`. */
function scroll(placeAt, end, each = () => {}) {
  const motion = new Motion();
  for (let time = 0; time <= end; time += frame) {
    motion.add(time, Math.round(placeAt(time)));
    each(motion, time);
  }
  return motion;
}

test('the velocity is distance divided by time, with its sign', () => {
  assert.ok(Math.abs(scroll((time) => 3 * time, 500).velocity - 3_000) < 60);
  assert.ok(Math.abs(scroll((time) => 9_000 - 3 * time, 500).velocity + 3_000) < 60);
});

test('a jump has no velocity, and a movement that has just begun has none yet', () => {
  const motion = new Motion();
  assert.equal(motion.velocity, 0);
  motion.add(0, 0);
  motion.add(1_000, 60_000);
  assert.equal(motion.velocity, 0);
  assert.equal(motion.landing, undefined);
});

test('a steady scroll has its velocity from the third frame on', () => {
  const motion = new Motion();
  for (const at of [0, 1, 2]) motion.add(1_000 + at * frame, at * frame * 3);
  assert.ok(Math.abs(motion.velocity - 3_000) < 150, `${motion.velocity}`);
});

test('two frames close together do not count as a jump', () => {
  const motion = new Motion();
  motion.add(1_000, 0);
  motion.add(1_004, 100);
  assert.ok(motion.velocity < 4_000, `${motion.velocity}`);
});

test('the first frame without movement counts as a stop', () => {
  const motion = scroll((time) => 10 * time, 500);
  const place = Math.round(10 * Math.floor(500 / frame) * frame);
  motion.add(500 + frame, place);
  assert.equal(motion.velocity, 0);
  assert.equal(motion.landing, undefined);
});

test('on a fast screen a frame between two touch events does not count as a stop', () => {
  const motion = new Motion();
  for (let at = 0; at < 60; at += 1) motion.add(at * 8.33, Math.floor(at / 2) * 50);
  assert.ok(Math.abs(motion.velocity - 3_000) < 400);
});

test('a late frame does not make the next one a jump', () => {
  const motion = new Motion();
  let time = 0;
  for (const [passed, way] of [...Array(12).fill([frame, 100]), [120, 100], [4, 720], [frame, 24]]) {
    time += passed;
    motion.add(time, (motion.place = (motion.place ?? 0) + way));
  }
  assert.ok(motion.velocity < 15_000, `${motion.velocity}`);
});

describe('the landing is predicted', () => {
  const speed = 6;
  const flings = {
    'for a touch fling that decays': [(time) => speed * 325 * (1 - Math.exp(-time / 325)), speed * 325],
    'for a slow decay': [(time) => speed * 700 * (1 - Math.exp(-time / 700)), speed * 700],
    'for a constant deceleration': [(time) => 4 * Math.min(time, 800) * (1 - Math.min(time, 800) / 1_600), 1_600],
    'for a cubic easing': [(time) => 6_000 * (1 - (1 - Math.min(1, time / 1_500)) ** 3), 6_000],
    'for a fling backwards': [(time) => 9_000 - speed * 325 * (1 - Math.exp(-time / 325)), 9_000 - speed * 325],
  };
  for (const [name, [placeAt, end]] of Object.entries(flings)) {
    test(name, () => {
      let told = 0;
      scroll(placeAt, 1_200, (motion, time) => {
        const left = Math.abs(end - placeAt(time));
        if (time < 200 || left < 300) return;
        const { landing } = motion;
        if (landing === undefined) return;
        told += 1;
        assert.ok(Math.abs(landing - end) < 40 + 0.12 * left, `${landing} for ${end} with ${left} to go`);
      });
      assert.ok(told >= 5, `predicted ${told} times`);
    });
  }
});

test('no landing is predicted while the scroll does not slow down', () => {
  const swings = [(time) => 5 * time, (time) => 0.004 * time * time, (time) => 2_000 * Math.sin(time / 40)];
  for (const [at, placeAt] of swings.entries()) {
    let told = 0;
    scroll(placeAt, 600, (motion) => (told += motion.landing === undefined ? 0 : 1));
    assert.ok(told <= (at === 2 ? 4 : 0), `${at}: ${told}`);
  }
});
