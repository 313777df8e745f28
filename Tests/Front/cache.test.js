import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PictureCache } from '../../Public/loading/cache.js';

const blob = (bytes) => new Blob([new Uint8Array(bytes)]);
const isGood = async (url) => (await fetch(url).catch(() => null))?.ok ?? false;

test('a picture is found under its own key only', () => {
  const cache = new PictureCache(100);
  const picture = cache.put('a', blob(10));
  assert.equal(cache.get('a'), picture);
  assert.equal(picture.bytes, 10);
  assert.equal(cache.get('b'), undefined);
});

test('a picture stays marked as incomplete until another replaces it', () => {
  const cache = new PictureCache(100);
  assert.equal(cache.put('a', blob(10), true).isIncomplete, true);
  assert.equal(cache.get('a').isIncomplete, true);
  cache.put('a', blob(10));
  assert.equal(cache.get('a').isIncomplete, false);
});

test('beyond the budget the least recently used picture is evicted first', () => {
  const cache = new PictureCache(30);
  for (const key of ['a', 'b', 'c']) cache.put(key, blob(10));
  cache.get('a');
  cache.put('d', blob(10));
  assert.deepEqual(['a', 'b', 'c', 'd'].filter((key) => cache.get(key)), ['a', 'c', 'd']);
});

test('a picture is valid until it is evicted, and its object URL is revoked then', async () => {
  const cache = new PictureCache(10);
  const first = cache.put('a', blob(10));
  assert.ok(await isGood(first.url));
  const second = cache.put('b', blob(10));
  assert.ok(!(await isGood(first.url)));
  assert.ok(await isGood(second.url));
});

test('a picture larger than the budget is kept while it is the newest', () => {
  const cache = new PictureCache(10);
  cache.put('a', blob(5));
  cache.put('b', blob(50));
  assert.equal(cache.get('a'), undefined);
  assert.ok(cache.get('b'));
  cache.put('c', blob(5));
  assert.equal(cache.get('b'), undefined);
  assert.ok(cache.get('c'));
});

test('a replaced picture is counted once', () => {
  const cache = new PictureCache(20);
  for (let round = 0; round < 5; round += 1) cache.put('a', blob(10));
  cache.put('b', blob(10));
  assert.ok(cache.get('a') && cache.get('b'));
});

test('a removed picture is gone, and may be removed again', () => {
  const cache = new PictureCache(20);
  cache.put('a', blob(10));
  cache.remove('a');
  cache.remove('a');
  assert.equal(cache.get('a'), undefined);
  cache.put('b', blob(10));
  cache.put('c', blob(10));
  assert.ok(cache.get('b') && cache.get('c'));
});

test('the number of small pictures is bounded', () => {
  const cache = new PictureCache(1_000, 3);
  for (const key of ['a', 'b', 'c', 'd']) cache.put(key, blob(1));
  assert.deepEqual(['a', 'b', 'c', 'd'].filter((key) => cache.get(key)), ['b', 'c', 'd']);
});
