import assert from 'node:assert/strict';
import test from 'node:test';
import { dayBegunAt, dayOf, markFitting, markOfDay, nameOfDay } from '../../Public/grid/days.js';

test("the day of an image is the one on its camera's clock", () => {
  assert.equal(dayOf({ takenAt: '2019-06-14T23:59:00Z' }), '2019-06-14');
  assert.equal(dayOf({ takenAt: '2019-06-14T00:01:00+09:00' }), '2019-06-14');
  assert.equal(dayOf({ takenAt: '2019-06-14T00:00:00Z', takenPrecision: 'day' }), '2019-06-14');
  assert.equal(dayOf({ takenAt: '2019-06-01T00:00:00Z', takenPrecision: 'month' }), '');
  assert.equal(dayOf({ takenAt: '2019-01-01T00:00:00Z', takenPrecision: 'year' }), '');
  assert.equal(dayOf({}), '');
  assert.equal(dayOf(undefined), '');
});

test('a day starts at its first image, once the previous image is known', () => {
  const days = ['2019-06-13', '2019-06-13', '2019-06-14', '2019-06-14', undefined];
  const images = days.map((day) => (day ? { takenAt: `${day}T08:00:00Z` } : {}));
  const begun = images.map((_, index) => dayBegunAt(index, (at) => images[at]));
  assert.deepEqual(begun, ['2019-06-13', '', '2019-06-14', '', '']);
  assert.equal(dayBegunAt(2, (at) => (at === 2 ? images[2] : undefined)), '');
});

test('a day has a short label and a full name, in every time zone', () => {
  assert.equal(markOfDay('2019-06-14'), 'Fri 14');
  assert.equal(markOfDay('2020-02-01'), 'Sat 1');
  assert.equal(nameOfDay('2019-06-14'), 'Fri, June 14, 2019');
});

test('an invalid day has neither', () => {
  for (const day of ['', '2019-06', '2019-13-40']) {
    assert.equal(markOfDay(day).includes('Invalid'), false);
    assert.equal(nameOfDay(day).includes('Invalid'), false);
  }
  assert.equal(markOfDay(''), '');
});

test('a narrow slot shows the number of the day alone', () => {
  assert.equal(markFitting('May 16', 61), 'May 16');
  assert.equal(markFitting('May 16', 60), '16');
  assert.equal(markFitting('Fri 3', 24), '3');
  assert.equal(markFitting('', 24), '');
});
