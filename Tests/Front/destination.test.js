import assert from 'node:assert/strict';
import test from 'node:test';
import { dayIn, destinationOf, exampleLike } from '../../Public/page/destination.js';

const months = [
  { month: '2018-11', first: 0, count: 40 },
  { month: '2019-06', first: 40, count: 30 },
  { month: '2019-08', first: 70, count: 3_000 },
  { month: null, first: 3_070, count: 5 },
];
const rising = { months, direction: 'asc' };
const falling = {
  months: [
    { month: '2019-08', first: 0, count: 3_000 },
    { month: '2019-06', first: 3_000, count: 30 },
    { month: '2018-11', first: 3_030, count: 40 },
    { month: null, first: 3_070, count: 5 },
  ],
  direction: 'desc',
};

test('a number leads to that image, however its digits are grouped', () => {
  for (const order of [rising, falling, { months: [], direction: 'asc' }]) {
    assert.equal(destinationOf('12', order), 11);
    assert.equal(destinationOf('1,200', order), 1_199);
    assert.equal(destinationOf('2,019', order), 2_018);
  }
});

test('a month leads to its first image in the order, in any spelling', () => {
  for (const text of ['2019-06', '2019/6', '6.2019', '06 / 2019', 'June 2019', 'JUNE, 2019', 'jun 2019', ' 2019 june ']) {
    assert.equal(destinationOf(text, rising), 40, text);
    assert.equal(destinationOf(text, falling), 3_000, text);
  }
});

test('a year leads to its first image if the gallery has that year, and is otherwise a number', () => {
  assert.equal(destinationOf('2019', rising), 40);
  assert.equal(destinationOf('2019', falling), 0);
  assert.equal(destinationOf('2018', falling), 3_030);
  assert.equal(destinationOf('1999', rising), 1_998);
});

test('a month without images leads to the next image in the order', () => {
  assert.equal(destinationOf('2019-07', rising), 70);
  assert.equal(destinationOf('2019-07', falling), 3_000);
  assert.equal(destinationOf('2001-01', rising), 0);
  assert.equal(destinationOf('2001-01', falling), 3_030);
  assert.equal(destinationOf('May 2030', rising), 70);
  assert.equal(destinationOf('May 2030', falling), 0);
});

test('without months only numbers are understood', () => {
  const plain = { months: [], direction: 'asc' };
  assert.equal(destinationOf('2019', plain), 2_018);
  for (const text of ['2019-06', 'June 2019']) assert.equal(destinationOf(text, plain), null);
  const undated = { months: [{ month: null, first: 0, count: 5 }], direction: 'asc' };
  assert.equal(destinationOf('June 2019', undated), null);
});

test('other text is not understood', () => {
  for (const text of ['', '0', 'June', 'ju 2019', '2019-13', '2019-00', '2019-06-14', 'Juno 2019', '-3', '1e3', 'x2019y']) {
    assert.equal(destinationOf(text, rising), null, text);
  }
});

test('a day is understood in any unambiguous format', () => {
  for (const text of ['2019-06-03', '2019/6/3', '3.6.2019', '3 June 2019', 'Jun 3, 2019', '2019 june 3']) {
    assert.equal(dayIn(text), '2019-06-03', text);
  }
  for (const text of ['3/6/2019', '2019-06', 'June 2019', '2019-02-30', '31 June 2019', '3 Juno 2019', '1,200', '12 2019 13 14']) {
    assert.equal(dayIn(text), null, text);
  }
});

test('a year with letters that look like digits is suggested as a year', () => {
  for (const [text, year] of [['2o19', '2019'], ['l998', '1998'], [' 20I9 ', '2019']]) assert.equal(exampleLike(text), year);
  for (const text of ['2o', 'holiday', '', '9o19']) assert.match(exampleLike(text), /^2019, /);
});
