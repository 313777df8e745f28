import assert from 'node:assert/strict';
import test from 'node:test';

import { Shell } from '../../Public/offline/shell.js';
import { FakeCaches } from './fake-caches.js';

globalThis.location = /** @type {any} */ ({ origin: 'http://gallery.example' });

/** A server that serves one version of the page after the other. */
class FakeServer {
  version = 1;
  isThere = true;
  /** Settles when the page is sent. */
  sends = Promise.resolve();
  missing = '';
  asked = [];

  fetch = async (request) => {
    const { pathname } = new URL(request.url ?? request, location.origin);
    this.asked.push(pathname);
    if (!this.isThere) throw new TypeError('No response');
    if (pathname === this.missing) return new Response('', { status: 404 });
    if (pathname !== '/') return new Response(`script ${pathname}`);
    await this.sends;
    const parts = [`/assets/${this.version}/gallery.js`, `/assets/${this.version}/worker.js`];
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
    const request = new Request(`${location.origin}/?q=cat`, how);
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
  return { server, shell, begin, open, paths, work };
}

test('without the server the stored page opens, with its scripts', async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.isThere = false;
  assert.match(await open(), /^page 1/);
  const part = await shell.part(new Request(`${location.origin}/assets/1/worker.js`));
  assert.equal(await part.text(), 'script /assets/1/worker.js');
});

test('over a slow link the stored page opens at once, and the new one is stored for the next visit', async () => {
  const { server, shell, begin, open, paths, work } = house();
  await shell.renew();
  server.version = 2;
  let send = () => {};
  server.sends = new Promise((resolve) => (send = () => resolve(undefined)));
  assert.match(await begin(), /^page 1/);
  // A user who reloads waits for what is new.
  const reloaded = begin({ cache: 'no-cache' });
  const soon = new Promise((resolve) => setTimeout(() => resolve('waits'), 400));
  assert.equal(await Promise.race([reloaded, soon]), 'waits');
  send();
  assert.match(await reloaded, /^page 2/);
  await Promise.allSettled(work);
  assert.deepEqual(await paths(), ['/', '/assets/2/gallery.js', '/assets/2/worker.js']);
  assert.match(await open(), /^page 2/);
});

test('another version is displayed at once, and then replaces the stored one', async () => {
  const { server, shell, open, paths } = house();
  await shell.renew();
  server.version = 2;
  assert.match(await open(), /^page 2/);
  assert.deepEqual(await paths(), ['/', '/assets/2/gallery.js', '/assets/2/worker.js']);
});

test('a version with a missing part is not stored, and the previous one stays complete', async () => {
  const { server, shell, open, paths } = house();
  await shell.renew();
  server.version = 2;
  server.missing = '/assets/2/worker.js';
  await open();
  server.isThere = false;
  assert.match(await open(), /^page 1/);
  const kept = await paths();
  for (const path of ['/', '/assets/1/gallery.js', '/assets/1/worker.js']) assert.ok(kept.includes(path), path);
});

test('storing two versions at once leaves one of them, complete', async () => {
  const { server, shell, paths } = house();
  const first = shell.renew();
  server.version = 2;
  await Promise.all([first, shell.renew()]);
  assert.deepEqual(await paths(), ['/', '/assets/2/gallery.js', '/assets/2/worker.js']);
});

test('a page that is stored already costs nothing but its own request', async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.asked = [];
  await open();
  assert.deepEqual(server.asked, ['/']);
});

test('a network that does not respond is not awaited forever', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { server, shell } = house();
  await shell.renew();
  const never = new Promise(() => {});
  const opening = shell.open(never, new Request(`${location.origin}/`), () => {});
  context.mock.timers.tick(5_000);
  assert.match(await (await opening).text(), /^page 1/);
  assert.ok(server.isThere);
});

test("a proxy's error for a missing server does not replace the stored page", async () => {
  const { server, shell, open } = house();
  await shell.renew();
  server.missing = '/';
  assert.match(await open(), /^page 1/);
});
