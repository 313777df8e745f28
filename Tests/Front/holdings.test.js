import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { Holdings } from '../../Public/stream/worker/holdings.js';

/** A tile cache in memory that holds at most this many entries. */
function tileCache(most = Infinity) {
  const stored = new Map();
  return (onEvicted) => ({
    ready: Promise.resolve(),
    has: (key) => stored.has(key),
    get: async (key) => stored.get(key) ?? null,
    put(cached) {
      stored.set(cached.key, cached);
      for (const key of stored.keys()) {
        if (stored.size <= most) break;
        stored.delete(key);
        onEvicted([key]);
      }
    },
    remove: (key) => stored.delete(key),
    flush() {},
  });
}

function holdings(makeTileCache = tileCache()) {
  const told = [];
  return { told, holdings: new Holdings((message) => told.push(message), makeTileCache) };
}

const bytes = (count) => new ArrayBuffer(count);

test('a received rendition is held and need not be reported to the server', async () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'tile', 'image/webp', bytes(10));
  assert.ok(held.has('a', '1', 'tile'));
  assert.ok(!held.has('a', '2', 'tile') && !held.has('a', '1', 'preview'));
  assert.equal((await held.get('a', '1', 'tile')).type, 'image/webp');
  held.announceHeld([{ image: 'a', version: '1' }]);
  assert.deepEqual(told, []);
});

test('held renditions are known to be incomplete, in memory and in the tile cache', async () => {
  const makeTileCache = tileCache();
  const stored = makeTileCache(() => {});
  const { holdings: held } = holdings(() => stored);
  held.put('a', '1', 'tile', 'image/webp', bytes(10), true);
  held.put('b', '1', 'tile', 'image/webp', bytes(10));
  const later = holdings(() => stored).holdings;
  for (const each of [held, later]) {
    assert.equal((await each.get('a', '1', 'tile')).isIncomplete, true);
    assert.equal((await each.get('b', '1', 'tile')).isIncomplete, false);
  }
});

test('every holding is reported once to a new server', () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'preview', '', bytes(1));
  held.put('a', '1', 'tile', '', bytes(1));
  held.begin();
  const images = [{ image: 'a', version: '1' }, { image: 'b', version: '1' }];
  held.announceHeld(images);
  held.announceHeld(images);
  assert.deepEqual(told, [{ type: 'has', images: [{ image: 'a', version: '1', renditions: ['preview', 'tile'] }] }]);
});

test('a rendition evicted from both caches is reported as gone, once', () => {
  const { told, holdings: held } = holdings(tileCache(0));
  const half = 30 * 1_048_576;
  held.put('a', '1', 'tile', '', bytes(half));
  held.put('b', '1', 'tile', '', bytes(half));
  assert.ok(!held.has('a', '1', 'tile') && held.has('b', '1', 'tile'));
  assert.deepEqual(told, [{ type: 'forgot', images: [{ image: 'a', version: '1', renditions: ['tile'] }] }]);
});

test('a rendition evicted from the tile cache is still held while it is in memory', () => {
  const { told, holdings: held } = holdings(tileCache(1));
  held.put('a', '1', 'tile', '', bytes(1));
  held.put('b', '1', 'tile', '', bytes(1));
  assert.ok(held.has('a', '1', 'tile'));
  assert.deepEqual(told, []);
});

test('a message lists at most five hundred images', () => {
  const { told, holdings: held } = holdings();
  const images = Array.from({ length: 1_200 }, (_, at) => ({ image: `i${at}`, version: '1' }));
  for (const { image, version } of images) held.put(image, version, 'preview', '', bytes(1));
  held.begin();
  held.announceHeld(images);
  assert.deepEqual(told.map((message) => message.images.length), [500, 500, 200]);
});

test('a rendition that cannot be decoded is removed', () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'tile', '', bytes(1));
  held.remove('a', '1', 'tile');
  assert.ok(!held.has('a', '1', 'tile'));
  assert.equal(told[0].type, 'forgot');
});

test('the number of renditions in memory is bounded', () => {
  const { told, holdings: held } = holdings(tileCache(0));
  for (let number = 0; number < 10_002; number += 1) held.put(`${number}`, '1', 'preview', '', bytes(1));
  assert.ok(!held.has('0', '1', 'preview') && !held.has('1', '1', 'preview') && held.has('2', '1', 'preview'));
  assert.deepEqual(told.map(({ images }) => images[0].image), ['0', '1']);
});

test('the smallest sufficient step is used, and all are reported to the server', () => {
  const { told, holdings: held } = holdings((onEvicted) => {
    const found = tileCache()(onEvicted);
    for (const kind of ['preview', 'tile', '1280']) found.put({ key: `a/1/${kind}`, body: bytes(1) });
    return found;
  });
  assert.equal(held.best('a', '1', '160'), 'tile');
  assert.equal(held.best('a', '1', '640'), '1280');
  assert.equal(held.best('a', '1', '2560'), '1280');
  assert.equal(held.best('a', '2', 'tile'), undefined);
  held.announceHeld([{ image: 'a', version: '1' }]);
  assert.deepEqual(told, [{ type: 'has', images: [{ image: 'a', version: '1', renditions: ['preview', 'tile', '1280'] }] }]);
});
