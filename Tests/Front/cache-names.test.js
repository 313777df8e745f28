import assert from 'node:assert/strict';
import test from 'node:test';

import { basePath, cacheName, isOurs } from '../../Public/offline/cache-names.js';

/** @param {string} href */
function at(href) {
  globalThis.location = /** @type {any} */ (new URL(href));
}

test('a page and its service worker name the same path and the same caches', () => {
  for (const [page, worker, path, name] of [
    ['http://host/?q=a#at=3', 'http://host/service-worker.js', '/', 'tessera-shell-1'],
    ['http://host/a/b/?q=a', 'http://host/a/b/service-worker.js', '/a/b/', 'tessera-shell-1/a/b/'],
  ]) {
    for (const href of [page, worker]) {
      at(href);
      assert.equal(basePath(), path);
      assert.equal(cacheName('shell'), name);
    }
  }
});

test('caches of other galleries and other applications are not ours', () => {
  at('http://host/gallery/service-worker.js');
  assert.deepEqual(
    ['tessera-shell-0/gallery/', 'tessera-old-7/gallery/', 'tessera-shell-1', 'tessera-shell-1/gallery/2/', 'workbox',
      'other/gallery/'].map(isOurs),
    [true, true, false, false, false, false],
  );
  at('http://host/service-worker.js');
  assert.deepEqual(['tessera-shell-0', 'tessera-shell-1/gallery/', 'workbox'].map(isOurs), [true, false, false]);
});
