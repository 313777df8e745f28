import assert from 'node:assert/strict';
import test, { mock } from 'node:test';

import { Shell } from '../../Public/offline/shell.js';
import { FakeCaches } from './fake-caches.js';

// The tests run a gallery under a subpath.
globalThis.location = /** @type {any} */ (new URL('http://gallery.example/gallery/service-worker.js'));

/** A server that serves one version of the page after the other. */
class FakeServer {
  version = 1;
  isThere = true;
  /** Settles when the page is sent. */
  sends = Promise.resolve();
  missing = '';
  asked = [];

  fetch = async (request) => {
    const { pathname } = new URL(request.url ?? request, location.href);
    this.asked.push(pathname);
    if (!this.isThere) throw new TypeError('No response');
    if (pathname === this.missing) return new Response('', { status: 404 });
    if (pathname !== '/gallery/') return new Response(`script ${pathname}`);
    await this.sends;
    const parts = [`assets/${this.version}/gallery.js`, `assets/${this.version}/worker.js`];
    return new Response(`page ${this.version} ${parts.map((part) => `"${part}"`)}`, {
      headers: { ETag: `"${this.version}"` },
    });
  };
}

function house() {
  const [server, caches] = [new FakeServer(), new FakeCaches()];
  const shell = new Shell(caches, server.fetch);
  const work = [];
  const begin = async (/** @type {RequestInit} */ how = {}) => {
    const request = new Request(`${location.origin}/gallery/?q=cat`, how);
    return (await shell.open(undefined, request, (each) => work.push(each))).text();
  };
  const open = async () => {
    const text = await begin();
    await Promise.allSettled(work);
    return text;
  };
  const paths = async () => {
    const cache = await caches.open(Shell.cache);
    return (await cache.keys()).map(({ url }) => new URL(url).pathname).sort();
  };
  return { server, caches, shell, begin, open, paths, work };
}

/**
 * @param {Promise<unknown>[]} promises
 * @returns {Promise<string[]>}  `pending` or `settled`.
 */
async function stateOf(promises) {
  await new Promise((resolve) => setImmediate(resolve));
  return Promise.all(promises.map((each) => Promise.race([each.then(() => 'settled'), Promise.resolve('pending')])));
}

test('without the server the stored page opens, with its scripts', async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.isThere = false;
  assert.match(await open(), /^page 1/);
  const part = await shell.part(new Request(`${location.origin}/gallery/assets/1/worker.js`));
  assert.equal(await part.text(), 'script /gallery/assets/1/worker.js');
});

test('over a slow link the stored page opens at once, and the new one is stored for the next visit', async () => {
  const { server, shell, begin, open, paths, work } = house();
  await shell.renew();
  server.version = 2;
  let send = () => {};
  server.sends = new Promise((resolve) => (send = () => resolve(undefined)));
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const pages = [begin(), begin({ cache: 'no-cache' })];
    mock.timers.tick(99);
    assert.deepEqual(await stateOf(pages), ['pending', 'pending']);
    mock.timers.tick(1);
    assert.match(await pages[0], /^page 1/);
    // A reload waits for the new page.
    mock.timers.tick(4_899);
    assert.deepEqual(await stateOf(pages.slice(1)), ['pending']);
    send();
    assert.match(await pages[1], /^page 2/);
  } finally {
    mock.timers.reset();
  }
  await Promise.allSettled(work);
  // The page that was opened may load its scripts later.
  const [one, two] = [1, 2].map((version) => ['gallery.js', 'worker.js'].map((name) => `/gallery/assets/${version}/${name}`));
  assert.deepEqual(await paths(), ['/gallery/', ...one, ...two]);
  server.version = 3;
  assert.match(await open(), /^page 3/);
  assert.deepEqual((await paths()).filter((path) => one.includes(path)), []);
});

test('a storage that fails does not keep the page from the network', async () => {
  const { server, begin, caches, work } = house();
  caches.open = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
  server.sends = new Promise((resolve) => setTimeout(resolve, 120));
  assert.match(await begin(), /^page 1/);
  await Promise.allSettled(work);
});

test('another version is displayed at once, and then replaces the stored one', async () => {
  const { server, shell, open, paths } = house();
  await shell.renew();
  server.version = 2;
  assert.match(await open(), /^page 2/);
  server.isThere = false;
  assert.match(await open(), /^page 2/);
  assert.ok((await paths()).includes('/gallery/assets/2/gallery.js') && (await paths()).includes('/gallery/assets/2/worker.js'));
});

test('a version with a missing part is not stored, and the previous one stays complete', async () => {
  const { server, shell, open, paths } = house();
  await shell.renew();
  server.version = 2;
  server.missing = '/gallery/assets/2/worker.js';
  await open();
  server.isThere = false;
  assert.match(await open(), /^page 1/);
  const kept = await paths();
  for (const path of ['/gallery/', '/gallery/assets/1/gallery.js', '/gallery/assets/1/worker.js']) assert.ok(kept.includes(path), path);
});

test('storing two versions at once leaves one of them, complete', async () => {
  const { server, shell, paths } = house();
  const first = shell.renew();
  server.version = 2;
  await Promise.all([first, shell.renew()]);
  assert.deepEqual(await paths(), ['/gallery/', '/gallery/assets/2/gallery.js', '/gallery/assets/2/worker.js']);
});

test('a page that is stored already costs nothing but its own request', async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.asked = [];
  await open();
  assert.deepEqual(server.asked, ['/gallery/']);
});

test('a network that does not respond is not awaited forever', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { server, shell } = house();
  await shell.renew();
  const never = new Promise(() => {});
  const opening = shell.open(never, new Request(`${location.origin}/gallery/`), () => {});
  context.mock.timers.tick(5_000);
  assert.match(await (await opening).text(), /^page 1/);
  assert.ok(server.isThere);
});

test("a proxy's error for a missing server does not replace the stored page", async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.missing = '/gallery/';
  assert.match(await open(), /^page 1/);
});
