import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { PyramidFile } from '../../Public/viewer/pyramid/pyramid-file.js';
import { madePyramid } from './made-pyramid.js';

const fetched = globalThis.fetch;
afterEach(() => (globalThis.fetch = fetched));

/** A server that has the file, unless `answer` says otherwise; notes which bytes were asked for. */
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

test('the index comes in one piece', async () => {
  const asked = serve(madePyramid({ width: 8_000, height: 5_000 }));
  const { levels } = await new PyramidFile('/p').index(signal);
  assert.equal(levels.length, 3);
  assert.deepEqual(asked, [[0, 32_767]]);
});

test('of an index that is longer the rest is asked for', async () => {
  const made = madePyramid({ width: 60_000, height: 30_000, bytesOfTile: 10 });
  const asked = serve(made);
  const { levels } = await new PyramidFile('/p').index(signal);
  assert.equal(levels[0].columns, 118);
  assert.deepEqual(asked, [[0, 32_767], [32_768, made.length - 1]]);
});

test('an index that claims more than the file has is not asked for', async () => {
  const asked = serve({ ...madePyramid({ width: 60_000, height: 30_000 }), size: 50_000 });
  await assert.rejects(new PyramidFile('/p').index(signal), RangeError);
  assert.equal(asked.length, 1);
});

test('a piece has the bytes that were asked for', async () => {
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
  'a problem is told with its status': [new Response('{"title": "Too large"}', { status: 413 }), 413],
  'a server that sends the whole file instead is of no use': [new Response('whole', { status: 200 }), 416],
  'another piece than was asked for is of no use': [part('5-5', '"1"'), 416],
  'a file that was made anew is told by its tag': [part('24-24', '"2"'), 412],
  'half an answer is none': [part('24-31', '"1"'), 0],
};

for (const [what, [answer, status]] of Object.entries(refusals)) {
  test(what, async () => {
    serve(made, (time) => (time === 2 ? answer : undefined));
    const file = new PyramidFile('/p');
    await file.index(signal);
    await assert.rejects(file.read(24, 8, signal), { name: 'Problem', status });
  });
}

test('nobody answering is a problem that may pass', async () => {
  globalThis.fetch = () => Promise.reject(new TypeError('Failed to fetch'));
  await assert.rejects(new PyramidFile('/p').read(0, 1, signal), { name: 'Problem', status: 0 });
});

test('who lets go of a piece ends its request', async () => {
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
