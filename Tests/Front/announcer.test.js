import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { announce, announceLater, takeBack } from '../../Public/page/announcer.js';

const region = { textContent: '' };
globalThis.document = { body: { querySelector: () => region }, querySelectorAll: () => [] };
mock.timers.enable({ apis: ['setTimeout'] });

test('a delayed announcement is made after its pause', () => {
  announceLater('238 pictures', 500);
  mock.timers.tick(499);
  assert.equal(region.textContent, '');
  mock.timers.tick(1);
  assert.equal(region.textContent, '238 pictures');
});

test('a delayed announcement does not overwrite a later one', () => {
  announceLater('238 pictures', 500);
  announce('July 2019');
  mock.timers.tick(1_000);
  assert.equal(region.textContent, 'July 2019');
});

test('only the last of several delayed announcements is made, unless it is cancelled', () => {
  announceLater('238 pictures', 500);
  announceLater('3 pictures', 500);
  mock.timers.tick(1_000);
  assert.equal(region.textContent, '3 pictures');
  announceLater('2 pictures', 500);
  takeBack();
  mock.timers.tick(1_000);
  assert.equal(region.textContent, '3 pictures');
});
