import { CatalogCopies } from './offline/catalog-copies.js';
import { basePath, isOurs } from './offline/cache-names.js';
import { Shell } from './offline/shell.js';

/*
 * Opens the gallery at once over a slow link, and while its server cannot be reached. The page itself comes from the
 * cache if the network is slow; other cached responses only stand in for a server that does not answer. The worker does
 * not handle images: the tile cache holds those that were displayed. Requests with tokens, and the stream, never pass
 * through here.
 */

const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const shell = new Shell(caches, fetch);
const copies = new CatalogCopies(caches, fetch);

scope.addEventListener('install', (event) => {
  event.waitUntil(shell.renew().then(() => scope.skipWaiting()));
});

scope.addEventListener('activate', (event) => {
  event.waitUntil(takeOver());
});

async function takeOver() {
  const names = await caches.keys();
  const known = [Shell.cache, CatalogCopies.cache];
  await Promise.all(names.filter((name) => isOurs(name) && !known.includes(name)).map((name) => caches.delete(name)));
  // The browser sends the request for the page while this worker starts.
  await scope.registration.navigationPreload?.enable();
  await scope.clients.claim();
}

scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const later = (/** @type {Promise<unknown>} */ work) => event.waitUntil(work.catch(() => {}));
  if (request.mode === 'navigate') {
    if (url.pathname === basePath()) event.respondWith(shell.open(event.preloadResponse, request, later));
  } else if (Shell.isPart(url)) {
    event.respondWith(shell.part(request));
  } else if (CatalogCopies.keeps(url)) {
    event.respondWith(copies.answer(request, later));
  }
});

// A page that opened before this worker existed lists the requests it has made.
scope.addEventListener('message', (event) => {
  const { keep = [] } = /** @type {{keep?: string[]}} */ (event.data);
  event.waitUntil(copies.take(keep.map((address) => new URL(address, location.origin))));
});
