import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { PyramidFile } from '../../Public/viewer/pyramid/pyramid-file.js';
import { madePyramid } from './made-pyramid.js';

const fetched = globalThis.fetch;
afterEach(() => (globalThis.fetch = fetched));

/** A server that serves the file, unless `answer` overrides the response; records the requested ranges. */
function serve({ bytes, size }, answer = () => undefined) {
  const asked = [];
  globalThis.fetch = async (link, { headers, signal }) => {
    assert.deepEqual(Object.keys(headers), ['Range']);
    const [from, to] = headers.Range.slice('bytes='.length).split('-').map(Number);
    asked.push([from, to]);
    signal.throwIfAborted();
    const end = Math.min(to + 1, size);
    const whole = new Uint8Array(size);
    whole.set(new Uint8Array(bytes).subarray(0, size));
    const ranges = { 'Content-Range': `bytes ${from}-${end - 1}/${size}`, ETag: '"1"' };
    return answer(asked.length) ?? new Response(whole.slice(from, end), { status: 206, headers: ranges });
  };
  return asked;
}

const { signal } = new AbortController();

test('a short index arrives in one piece', async () => {
  const asked = serve(madePyramid({ width: 8_000, height: 5_000 }));
  const { levels } = await new PyramidFile('/p').index(signal);
  assert.equal(levels.length, 3);
  assert.deepEqual(asked, [[0, 32_767]]);
});

test('the rest of a longer index is requested', async () => {
  const made = madePyramid({ width: 60_000, height: 30_000, bytesOfTile: 10 });
  const asked = serve(made);
  const { levels } = await new PyramidFile('/p').index(signal);
  assert.equal(levels[0].columns, 118);
  assert.deepEqual(asked, [[0, 32_767], [32_768, made.length - 1]]);
});

test('an index that claims to be longer than the file is not requested', async () => {
  const asked = serve({ ...madePyramid({ width: 60_000, height: 30_000 }), size: 50_000 });
  await assert.rejects(new PyramidFile('/p').index(signal), RangeError);
  assert.equal(asked.length, 1);
});

test('a piece has the requested bytes', async () => {
  serve(made);
  const file = new PyramidFile('/p');
  await file.index(signal);
  const piece = await file.read(24, 8, signal);
  assert.deepEqual(new Uint8Array(await piece.arrayBuffer()), new Uint8Array(made.bytes.slice(24, 32)));
});

const made = madePyramid({ width: 8_000, height: 5_000 });
const part = (range, tag) =>
  new Response('x', { status: 206, headers: { 'Content-Range': `bytes ${range}/${made.size}`, ETag: tag } });
const refusals = {
  'a problem is reported with its status': [new Response('{"title": "Too large"}', { status: 413 }), 413],
  'a response with the whole file is rejected': [new Response('whole', { status: 200 }), 416],
  'a piece other than the requested one is rejected': [part('5-5', '"1"'), 416],
  'a replaced file is detected by its entity tag': [part('24-24', '"2"'), 412],
  'an incomplete response is rejected': [part('24-31', '"1"'), 0],
};

for (const [what, [answer, status]] of Object.entries(refusals)) {
  test(what, async () => {
    serve(made, (time) => (time === 2 ? answer : undefined));
    const file = new PyramidFile('/p');
    await file.index(signal);
    await assert.rejects(file.read(24, 8, signal), { name: 'Problem', status });
  });
}

test('a missing response is a temporary problem', async () => {
  globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  await assert.rejects(new PyramidFile('/p').read(0, 1, signal), { name: 'Problem', status: 0 });
});

test('aborting a piece aborts its request', async () => {
  let ended;
  globalThis.fetch = (link, { signal: inner }) =>
    new Promise((_, reject) => inner.addEventListener('abort', () => {
      ended = true;
      reject(inner.reason);
    }));
  const abort = new AbortController();
  const read = new PyramidFile('/p').read(0, 1, abort.signal);
  abort.abort();
  await assert.rejects(read, { name: 'Problem' });
  assert.ok(ended);
});
