import assert from 'node:assert/strict';
import { test } from 'node:test';

import { joinShort, partsOf } from '../../Public/grid/months.js';

/** The titles and counts after joining months with fewer than six images. */
function joined(...months) {
  const total = months.reduce((sum, [, count]) => sum + count, 0);
  const parts = partsOf({ total, months: months.map(([month, count]) => ({ month, count, first: 0 })) });
  return joinShort(parts, 6).map(({ title, count }) => [title, count]);
}

test('neighbouring months with few images share a heading, within a year', () => {
  assert.deepEqual(joined(['2019-06', 1], ['2019-07', 5], ['2019-09', 2], ['2020-01', 3]), [
    ['June–September 2019', 8], ['January 2020', 3],
  ]);
});

test('a month with many images keeps its heading, and so does a single short one beside it', () => {
  assert.deepEqual(joined(['2019-06', 5], ['2019-07', 6], ['2019-08', 1], ['2019-09', 40]), [
    ['June 2019', 5], ['July 2019', 6], ['August 2019', 1], ['September 2019', 40],
  ]);
});

test('a year of such months is named by its number, newest first too', () => {
  const year = Array.from({ length: 12 }, (_, at) => [`2003-${String(at + 1).padStart(2, '0')}`, 2]);
  assert.deepEqual(joined(...year), [['2003', 24]]);
  assert.deepEqual(joined(...year.reverse()), [['2003', 24]]);
  assert.deepEqual(joined(...year.slice(0, 3)), [['October–December 2003', 6]]);
});

test('images without a date are joined with nothing, and an order without months stays whole', () => {
  assert.deepEqual(joined(['2019-06', 1], [null, 2]), [['June 2019', 1], ['Date unknown', 2]]);
  assert.deepEqual(joinShort(partsOf({ total: 3, months: [] }), 6).map(({ title, count }) => [title, count]), [['', 3]]);
});
