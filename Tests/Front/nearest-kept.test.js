import './server-tables.js';
import assert from 'node:assert/strict';
import test from 'node:test';

import { View } from '../../Public/catalog/view.js';
import { CatalogCopies } from '../../Public/offline/catalog-copies.js';
import { nearestKept } from '../../Public/offline/nearest-kept.js';
import { sentenceOf } from '../../Public/offline/stand-in.js';
import { FakeCaches } from './fake-caches.js';

globalThis.location = /** @type {any} */ (new URL('http://gallery.example/'));

/** A cache with these pages: each the query of its request, and how many images it has. */
async function kept(pages) {
  const caches = new FakeCaches();
  const cache = await caches.open(CatalogCopies.cache);
  const put = (path, body) => cache.put(`http://gallery.example${path}`, Response.json(body));
  await put('/api/v1/shape?', { revision: 1 });
  for (const [query, count] of Object.entries(pages)) {
    await put(`/api/v1/images?${query}`, { images: Array.from({ length: count }, () => ({})) });
  }
  return (view, index = 0) => nearestKept(caches, { view: new View(view), index });
}

const textOf = (place) => place && [place.view.text, place.index];

test('the nearest slot of the view is chosen', async () => {
  const nearest = await kept({ 'offset=0&limit=100': 100, 'offset=600&limit=100': 40, 'offset=300&limit=100&sort=name': 100 });
  assert.deepEqual(textOf(await nearest({}, 50)), ['', 50]);
  assert.deepEqual(textOf(await nearest({}, 320)), ['', 99]);
  assert.deepEqual(textOf(await nearest({}, 395)), ['', 600]);
  assert.deepEqual(textOf(await nearest({}, 900)), ['', 639]);
  assert.deepEqual(textOf(await nearest({ sort: 'name' }, 0)), ['sort=name', 300]);
});

test('another view stands in from its beginning, the most alike first, and never another search', async () => {
  const pages = { 'offset=100&limit=100&q=lake': 100, 'offset=0&limit=100': 100, 'offset=100&limit=100&folder=sea': 100 };
  const nearest = await kept(pages);
  assert.deepEqual(textOf(await nearest({ sort: 'name' }, 120)), ['', 0]);
  assert.deepEqual(textOf(await nearest({ q: 'lakes' }, 120)), ['', 0]);
  assert.deepEqual(textOf(await nearest({ folder: 'sea', sort: 'name' }, 0)), ['folder=sea', 100]);
  assert.deepEqual(textOf(await nearest({ folder: 'hills' }, 0)), ['', 0]);
  assert.equal(await (await kept({}))({}, 0), undefined);
  assert.deepEqual(textOf(await (await kept({ 'offset=0&limit=100&q=no': 0, 'offset=0&limit=100': 3 }))({ q: 'n' })), ['', 0]);
});

test('a sentence says what is shown in place of what', () => {
  const say = (wanted, shown, index = 0) => sentenceOf({ view: new View(wanted), index: 395 }, { view: new View(shown), index });
  assert.equal(say({}, {}, 99), 'Picture 396 is not saved on this device. Showing picture 100, the nearest that is.');
  assert.equal(say({ q: 'lake' }, {}), 'This search needs the server. Showing all pictures instead.');
  assert.equal(
    say({ q: 'lake', folder: 'sea' }, { folder: 'sea' }),
    'This search needs the server. Showing the folder sea instead.',
  );
  assert.equal(say({ q: 'lakes' }, { q: 'lake' }), 'This search needs the server. Showing results for “lake” instead.');
  assert.equal(say({ folder: 'sea' }, {}), 'That folder is not saved on this device. Showing all pictures instead.');
  assert.equal(
    say({ sort: 'name' }, {}),
    'This order is not saved on this device. Showing all pictures in another order.',
  );
});
