import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';

import { hintOf, searchTerms, withTerm } from '../../Public/finding/search-terms.js';

const term = (key) => searchTerms.find((each) => each.key === key);

test("the page's terms are the server's", async () => {
  const source = await readFile(new URL('../../Sources/Catalog/Views/Search.swift', import.meta.url), 'utf8');
  const [, list] = source.match(/let keys: Set<String> = \[([^\]]+)\]/);
  const keys = [...list.matchAll(/"(\w+)"/g)].map(([, key]) => key);
  assert.ok(keys.length > 4);
  assert.deepEqual(searchTerms.map(({ key }) => key).sort(), keys.sort());
});

test('the term that is being typed is explained by an example', () => {
  assert.match(hintOf('lake taken:', 11), /^For example, taken:2019, /);
  assert.match(hintOf('-Type: lake', 6), /^For example, type:/);
  for (const text of ['', 'lake', 'taken:2019', 'pretaken:']) assert.equal(hintOf(text, text.length), '', text);
});

test('an unknown term is said to be searched as text, with all filters', () => {
  const hint = hintOf('lake -foo:bar', 2);
  assert.ok(hint.startsWith('foo: is not a search filter, so -foo:bar is searched as text. Filters: '), hint);
  for (const { key } of searchTerms) assert.ok(hint.includes(` ${key}:`), key);
});

test('a date that does not exist, or is ambiguous, is answered with one that works', () => {
  const advice = {
    '31 June 2019': 'June 2019 has 30 days.',
    'lake feb 30, 2019': 'February 2019 has 28 days.',
    'June 0 2019 lake': 'June 2019 has 30 days.',
    '06/2019': 'For a month, type 2019-06.',
    'lake 6.2019': 'For a month, type 2019-06.',
    '14/6/2019': 'For a day, type 2019-06-14.',
    '12/25/2019': 'For a day, type 2019-12-25.',
    '5.6.2019': 'For a day, type 2019-06-05.',
    '6/5/2019': 'For a day, type the year, month, and day: 2019-06-05.',
  };
  for (const [text, told] of Object.entries(advice)) assert.equal(hintOf(text, text.length), told, text);
  const understood = ['30 June 2019', 'Feb 29, 2020', 'June 2019', '2019-06-14', '31 lakes 2019', '13/2019', '"31 June 2019"', 'f/2.8 2019', '1/8000',
    'f/4 1/4000', '31/2/2019'];
  for (const text of understood) assert.equal(hintOf(text, text.length), '', text);
});

test('what only looks like a term is left alone', () => {
  for (const text of ['12:30', 'https://example.com', '"foo:bar"', 'foo:', 'a "b foo:bar', 'rating:x', 'CAMERA:x']) {
    assert.equal(hintOf(text, 0), '', text);
  }
});

test('a term is put in where the user types, apart from other words', () => {
  const at = (text, start, end = start) => ({ text, start, end });
  assert.deepEqual(withTerm(term('type'), at('', 0)), { text: 'type:', caret: 5 });
  assert.deepEqual(withTerm(term('type'), at('lake', 4)), { text: 'lake type:', caret: 10 });
  assert.deepEqual(withTerm(term('type'), at('lake sea', 5)), { text: 'lake type: sea', caret: 10 });
  assert.deepEqual(withTerm(term('is'), at('lake', 0, 4)), { text: 'is:broken', caret: 9 });
});

test('an empty term is replaced by the next', () => {
  const field = { text: 'lake taken:', start: 11, end: 11 };
  assert.deepEqual(withTerm(term('lens'), field), { text: 'lake lens:', caret: 10 });
});
