import assert from 'node:assert/strict';
import test from 'node:test';
import { Lag } from '../../Public/stream/lag.js';

/** @param {Lag} lag  @param {number} every  @param {number} waiting  Milliseconds. */
function paint(lag, every, waiting) {
  for (let frame = 0; frame < 100; frame += 1) {
    lag.frame(1_000 + frame * every, true);
    lag.shown(waiting);
  }
}

test('a page that paints in time has a lag of two frames', () => {
  const lag = new Lag();
  paint(lag, 16, 4);
  assert.ok(Math.abs(lag.milliseconds - 36) <= 1, `${lag.milliseconds}`);
});

test('a busy page has a longer lag', () => {
  const lag = new Lag();
  paint(lag, 40, 30);
  assert.ok(Math.abs(lag.milliseconds - 110) <= 2, `${lag.milliseconds}`);
});

test('a pause between two scrolls does not count as a slow frame', () => {
  const lag = new Lag();
  paint(lag, 16, 4);
  lag.frame(3_000, false);
  lag.frame(3_100, true);
  assert.ok(Math.abs(lag.milliseconds - 36) <= 1, `${lag.milliseconds}`);
});

test('clock jumps do not distort the lag', () => {
  const lag = new Lag();
  for (const passed of [-1e12, 1e12, Number.MAX_VALUE]) lag.shown(passed);
  assert.ok(lag.milliseconds >= 0 && lag.milliseconds <= 500, `${lag.milliseconds}`);
});
