import assert from 'node:assert/strict';
import test from 'node:test';

import { CatalogCopies } from '../../Public/offline/catalog-copies.js';
import { copyMark } from '../../Public/offline/copy-mark.js';
import { FakeCaches } from './fake-caches.js';

globalThis.location = /** @type {any} */ (new URL('http://gallery.example/'));

const origin = 'http://gallery.example';

function house() {
  const state = { revision: 1, status: 200, isThere: true };
  const fetcher = async () => {
    if (!state.isThere) throw new TypeError('No response');
    if (state.bytes) return new Response(state.bytes, { headers: { 'Tessera-Revision': String(state.revision) } });
    return Response.json({ revision: state.revision, total: 9, images: [] }, { status: state.status });
  };
  const copies = new CatalogCopies(new FakeCaches(), fetcher);
  const ask = async (path) => {
    const work = [];
    const answer = await copies.answer(new Request(origin + path), (each) => work.push(each));
    await Promise.all(work);
    return answer;
  };
  return { state, copies, ask };
}

test('a stored response is used, and marked, only if there is no other', async () => {
  const { state, ask } = house();
  assert.equal((await ask('/api/v1/images?offset=0')).headers.get(copyMark), null);
  state.isThere = false;
  const copy = await ask('/api/v1/images?offset=0');
  assert.equal(copy.headers.get(copyMark), '1');
  assert.equal((await copy.json()).revision, 1);
  await assert.rejects(ask('/api/v1/images?offset=100'), TypeError);
});

test("a proxy's error for a missing server does not count as a response, but a refusal by the server does", async () => {
  const { state, ask } = house();
  await ask('/api/v1/images?offset=0');
  state.status = 502;
  assert.equal((await ask('/api/v1/images?offset=0')).status, 200);
  state.status = 400;
  assert.equal((await ask('/api/v1/images?offset=0')).status, 400);
});

test('one revision of a view is kept, and other views stay', async () => {
  const { state, ask } = house();
  await ask('/api/v1/images?offset=0&sort=name');
  await ask('/api/v1/images?offset=100&sort=name');
  await ask('/api/v1/images?offset=0');
  state.revision = 2;
  await ask('/api/v1/images?offset=100&sort=name');
  state.isThere = false;
  assert.equal((await (await ask('/api/v1/images?offset=100&sort=name')).json()).revision, 2);
  await assert.rejects(ask('/api/v1/images?offset=0&sort=name'), TypeError);
  assert.equal((await (await ask('/api/v1/images?offset=0')).json()).revision, 1);
});

test('bytes are stored unchanged, with their revision', async () => {
  const { state, ask } = house();
  state.bytes = new Uint8Array([0, 200, 255]);
  await ask('/api/v1/shape?first=0&count=3&sort=name');
  state.isThere = false;
  const copy = await ask('/api/v1/shape?first=0&count=3&sort=name');
  assert.equal(copy.headers.get('Tessera-Revision'), '1');
  assert.deepEqual([...new Uint8Array(await copy.arrayBuffer())], [0, 200, 255]);
  state.isThere = true;
  state.revision = 2;
  await ask('/api/v1/shape?first=3&count=3&sort=name');
  state.isThere = false;
  await assert.rejects(ask('/api/v1/shape?first=0&count=3&sort=name'), TypeError);
});

test('revisions that arrive at the same time are not mixed', async () => {
  const { state, ask } = house();
  const first = ask('/api/v1/images?offset=0');
  state.revision = 2;
  await Promise.all([first, ask('/api/v1/images?offset=100'), ask('/api/v1/images?offset=200')]);
  state.isThere = false;
  const found = new Set();
  for (const offset of [0, 100, 200]) {
    const copy = await ask(`/api/v1/images?offset=${offset}`).catch(() => null);
    if (copy) found.add((await copy.json()).revision);
  }
  assert.equal(found.size, 1);
});

test('the oldest responses are evicted', async () => {
  const { state, ask } = house();
  for (let offset = 0; offset < 15_000; offset += 100) await ask(`/api/v1/images?offset=${offset}`);
  state.isThere = false;
  await assert.rejects(ask('/api/v1/images?offset=0'), TypeError);
  assert.equal((await ask('/api/v1/images?offset=14900')).status, 200);
});

test('only reads of the catalog are stored, never anything with a token', () => {
  const keeps = (path) => CatalogCopies.keeps(new URL(path, origin));
  for (const path of ['images?offset=0', 'images/abc', 'timeline?sort=taken', 'folders?parent=', 'shape', 'position?image=a']) {
    assert.ok(keeps(`/api/v1/${path}`), path);
  }
  const others = [
    '/api/v1/stream', '/api/v1/tokens', '/api/v1/status', '/healthz', '/images/abc/tile?v=1', '/images/abc/tile?token=t',
    '/api/v1/images?token=t', '/', '/api/v1/images/abc/tile',
  ];
  for (const path of others) assert.ok(!keeps(path), path);
});
