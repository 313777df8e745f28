import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { announce, announceLater, takeBack } from '../../Public/page/announcer.js';

const region = { textContent: '' };
globalThis.document = { body: { querySelector: () => region }, querySelectorAll: () => [] };
mock.timers.enable({ apis: ['setTimeout'] });

test('what is to be told later is told after its pause', () => {
  announceLater('238 pictures', 500);
  mock.timers.tick(499);
  assert.equal(region.textContent, '');
  mock.timers.tick(1);
  assert.equal(region.textContent, '238 pictures');
});

test('what is told meanwhile is not overwritten by it', () => {
  announceLater('238 pictures', 500);
  announce('July 2019');
  mock.timers.tick(1_000);
  assert.equal(region.textContent, 'July 2019');
});

test('of what is to be told later the last counts, unless it is taken back', () => {
  announceLater('238 pictures', 500);
  announceLater('3 pictures', 500);
  mock.timers.tick(1_000);
  assert.equal(region.textContent, '3 pictures');
  announceLater('2 pictures', 500);
  takeBack();
  mock.timers.tick(1_000);
  assert.equal(region.textContent, '3 pictures');
});
