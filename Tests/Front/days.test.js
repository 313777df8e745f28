import assert from 'node:assert/strict';
import test from 'node:test';
import { dayBegunAt, dayOf, markOfDay, nameOfDay } from '../../Public/grid/days.js';

test('The day of a picture is that of the clock by which it was taken', () => {
  assert.equal(dayOf({ takenAt: '2019-06-14T23:59:00Z' }), '2019-06-14');
  assert.equal(dayOf({ takenAt: '2019-06-14T00:01:00+09:00' }), '2019-06-14');
  assert.equal(dayOf({}), '');
  assert.equal(dayOf(undefined), '');
});

test('A day begins at its first picture, as soon as the one before is known', () => {
  const days = ['2019-06-13', '2019-06-13', '2019-06-14', '2019-06-14', undefined];
  const images = days.map((day) => (day ? { takenAt: `${day}T08:00:00Z` } : {}));
  const begun = images.map((_, index) => dayBegunAt(index, (at) => images[at]));
  assert.deepEqual(begun, ['2019-06-13', '', '2019-06-14', '', '']);
  assert.equal(dayBegunAt(2, (at) => (at === 2 ? images[2] : undefined)), '');
});

test('A day has a short mark and a full name, in every zone', () => {
  assert.equal(markOfDay('2019-06-14'), 'Fri 14');
  assert.equal(markOfDay('2020-02-01'), 'Sat 1');
  assert.equal(nameOfDay('2019-06-14'), 'Fri, June 14, 2019');
});

test('What is no day has neither', () => {
  for (const day of ['', '2019-06', '2019-13-40']) {
    assert.equal(markOfDay(day).includes('Invalid'), false);
    assert.equal(nameOfDay(day).includes('Invalid'), false);
  }
  assert.equal(markOfDay(''), '');
});
