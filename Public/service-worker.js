import { CatalogCopies } from './offline/catalog-copies.js';
import { Shell } from './offline/shell.js';

/*
 * Opens the gallery where its server cannot be reached. The network always comes first; what is kept answers in its
 * place alone. Pictures are not its business: those that were seen are on the shelf, and requests that bear tokens,
 * and the stream, never pass through here.
 */

const scope = /** @type {any} */ (self);
const shell = new Shell(caches, fetch);
const copies = new CatalogCopies(caches, fetch);

scope.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(shell.renew().then(() => scope.skipWaiting()));
});

scope.addEventListener('activate', (/** @type {any} */ event) => {
  event.waitUntil(takeOver());
});

async function takeOver() {
  const names = await caches.keys();
  const known = [Shell.cache, CatalogCopies.cache];
  await Promise.all(names.filter((name) => !known.includes(name)).map((name) => caches.delete(name)));
  // The page is asked for while this wakes up.
  await scope.registration.navigationPreload?.enable();
  await scope.clients.claim();
}

scope.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  const later = (/** @type {Promise<unknown>} */ work) => event.waitUntil(work.catch(() => {}));
  if (request.mode === 'navigate') {
    if (url.pathname === '/') event.respondWith(shell.open(event.preloadResponse, request, later));
  } else if (Shell.isPart(url)) {
    event.respondWith(shell.part(request));
  } else if (CatalogCopies.keeps(url)) {
    event.respondWith(copies.answer(request, later));
  }
});

// A page that was opened before this was there says what it has asked for.
scope.addEventListener('message', (/** @type {any} */ event) => {
  const addresses = Array.isArray(event.data?.keep) ? event.data.keep : [];
  event.waitUntil(copies.take(addresses.map((/** @type {string} */ address) => new URL(address, location.origin))));
});
