import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatBytes, formatNumber, parseNumber } from '../../Public/page/numbers.js';

test('large numbers are grouped', () => {
  assert.equal(formatNumber(1_000_000), '1,000,000');
});

test('a number is parsed with any grouping of its digits', () => {
  for (const text of ['1234567', '1,234,567', '1.234.567', '1 234 567', "1'234'567", '1’234’567', ' 1_234_567 ']) {
    assert.equal(parseNumber(text), 1_234_567, text);
  }
});

test('other text is not a number', () => {
  for (const text of ['', ' ', '-1', '1e3', 'twelve', '0x10', '1234567890123456']) {
    assert.equal(parseNumber(text), null, text);
  }
});

test('bytes are formatted in a suitable unit', () => {
  assert.deepEqual([0, 999, 1_000, 1_550, 23_066, 2_145_678, 5e9, 7e12].map(formatBytes), [
    '0 bytes', '999 bytes', '1 kB', '1.6 kB', '23 kB', '2.1 MB', '5 GB', '7,000 GB',
  ]);
});
