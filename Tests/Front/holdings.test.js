import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Holdings } from '../../Public/stream/worker/holdings.js';

/** A shelf without a disk, of so many books. */
function shelf(most = Infinity) {
  const books = new Map();
  return (onEvicted) => ({
    ready: Promise.resolve(),
    has: (key) => books.has(key),
    get: async (key) => books.get(key) ?? null,
    put(book) {
      books.set(book.key, book);
      for (const key of books.keys()) {
        if (books.size <= most) break;
        books.delete(key);
        onEvicted([key]);
      }
    },
    remove: (key) => books.delete(key),
    flush() {},
  });
}

function holdings(makeShelf = shelf()) {
  const told = [];
  return { told, holdings: new Holdings((message) => told.push(message), makeShelf) };
}

const bytes = (count) => new ArrayBuffer(count);

test('what was sent is held, and the server need not be told', async () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'tile', 'image/webp', bytes(10));
  assert.ok(held.has('a', '1', 'tile'));
  assert.ok(!held.has('a', '2', 'tile') && !held.has('a', '1', 'preview'));
  assert.equal((await held.get('a', '1', 'tile')).type, 'image/webp');
  held.tellOf([{ image: 'a', version: '1' }]);
  assert.deepEqual(told, []);
});

test('what is held is known to be incomplete, from memory and from the shelf', async () => {
  const makeShelf = shelf();
  const books = makeShelf(() => {});
  const { holdings: held } = holdings(() => books);
  held.put('a', '1', 'tile', 'image/webp', bytes(10), true);
  held.put('b', '1', 'tile', 'image/webp', bytes(10));
  const later = holdings(() => books).holdings;
  for (const each of [held, later]) {
    assert.equal((await each.get('a', '1', 'tile')).isIncomplete, true);
    assert.equal((await each.get('b', '1', 'tile')).isIncomplete, false);
  }
});

test('to another server everything is new, and each thing is told once', () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'preview', '', bytes(1));
  held.put('a', '1', 'tile', '', bytes(1));
  held.begin();
  const images = [{ image: 'a', version: '1' }, { image: 'b', version: '1' }];
  held.tellOf(images);
  held.tellOf(images);
  assert.deepEqual(told, [{ type: 'has', images: [{ image: 'a', version: '1', renditions: ['preview', 'tile'] }] }]);
});

test('what is neither in memory nor on the shelf is told to be gone, once', () => {
  const { told, holdings: held } = holdings(shelf(0));
  const half = 30 * 1_048_576;
  held.put('a', '1', 'tile', '', bytes(half));
  held.put('b', '1', 'tile', '', bytes(half));
  assert.ok(!held.has('a', '1', 'tile') && held.has('b', '1', 'tile'));
  assert.deepEqual(told, [{ type: 'forgot', images: [{ image: 'a', version: '1', renditions: ['tile'] }] }]);
});

test('what the shelf lets go of is still held while it is in memory', () => {
  const { told, holdings: held } = holdings(shelf(1));
  held.put('a', '1', 'tile', '', bytes(1));
  held.put('b', '1', 'tile', '', bytes(1));
  assert.ok(held.has('a', '1', 'tile'));
  assert.deepEqual(told, []);
});

test('a message tells of at most five hundred images', () => {
  const { told, holdings: held } = holdings();
  const images = Array.from({ length: 1_200 }, (_, at) => ({ image: `i${at}`, version: '1' }));
  for (const { image, version } of images) held.put(image, version, 'preview', '', bytes(1));
  held.begin();
  held.tellOf(images);
  assert.deepEqual(told.map((message) => message.images.length), [500, 500, 200]);
});

test('what proved to be no picture is gone', () => {
  const { told, holdings: held } = holdings();
  held.put('a', '1', 'tile', '', bytes(1));
  held.remove('a', '1', 'tile');
  assert.ok(!held.has('a', '1', 'tile'));
  assert.equal(told[0].type, 'forgot');
});

test('books in memory are bounded by their number', () => {
  const { told, holdings: held } = holdings(shelf(0));
  for (let number = 0; number < 10_002; number += 1) held.put(`${number}`, '1', 'preview', '', bytes(1));
  assert.ok(!held.has('0', '1', 'preview') && !held.has('1', '1', 'preview') && held.has('2', '1', 'preview'));
  assert.deepEqual(told.map(({ images }) => images[0].image), ['0', '1']);
});

test('of several sizes the smallest serves that has enough, and the server is told of all', () => {
  const { told, holdings: held } = holdings((onEvicted) => {
    const found = shelf()(onEvicted);
    for (const kind of ['preview', 'tile', '1280']) found.put({ key: `a/1/${kind}`, body: bytes(1) });
    return found;
  });
  assert.equal(held.best('a', '1', '160'), 'tile');
  assert.equal(held.best('a', '1', '640'), '1280');
  assert.equal(held.best('a', '1', '2560'), '1280');
  assert.equal(held.best('a', '2', 'tile'), undefined);
  held.tellOf([{ image: 'a', version: '1' }]);
  assert.deepEqual(told, [{ type: 'has', images: [{ image: 'a', version: '1', renditions: ['preview', 'tile', '1280'] }] }]);
});
