import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { Problem } from '../../Public/catalog/problem.js';
import { endOf, firstRun } from '../../Public/viewer/pyramid/runs.js';
import { TileRequests } from '../../Public/viewer/pyramid/tile-requests.js';

const tile = (number, offset = 1_000 + number * 10, length = 10) => ({ number, offset, length });
const numbers = (tiles) => tiles.map(({ number }) => number);

test('the most urgent tile comes with its neighbours in the file', () => {
  assert.deepEqual(numbers(firstRun([5, 9, 4, 6].map((each) => tile(each)))), [4, 5, 6]);
  assert.deepEqual(numbers(firstRun([tile(5), tile(6, 1_061)])), [5]);
});

test('no run is so long that the most urgent tile waits for the rest', () => {
  const run = firstRun([50, ...Array.from({ length: 50 }, (_, at) => at)].map((each) => tile(each)));
  assert.deepEqual(numbers(run), [47, 48, 49, 50]);
  assert.equal(endOf(run[3]) - run[0].offset, 40);
});

/** A file whose reads are answered by the test. */
class HeldFile {
  reads = [];

  read(from, length, signal) {
    return new Promise((resolve, reject) => {
      const read = {
        from, length, signal,
        answer: () => resolve(new Blob([Uint8Array.from({ length }, (_, at) => (from + at) % 251)])),
        fail: (problem) => reject(problem),
      };
      signal.addEventListener('abort', () => reject(new Problem(0, 'Aborted')));
      this.reads.push(read);
    });
  }

  get open() {
    return this.reads.filter(({ signal }) => !signal.aborted);
  }
}

function made() {
  const file = new HeldFile();
  const [shown, problems] = [[], []];
  const onTile = async (each, piece, signal) => {
    const bytes = new Uint8Array(await piece.arrayBuffer());
    if (!signal.aborted) shown.push([each.number, bytes[0], bytes.length]);
  };
  const requests = new TileRequests({ file, onTile, onProblem: (each) => problems.push(each) });
  return { file, shown, problems, requests };
}

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const apart = (count) => Array.from({ length: count }, (_, at) => tile(at, 1_000 + at * 100));

test('four requests run at a time, in order of urgency', async () => {
  const { file, requests, shown } = made();
  requests.want(apart(6));
  assert.deepEqual(file.reads.map(({ from }) => from), [1_000, 1_100, 1_200, 1_300]);
  file.reads[1].answer();
  await settled();
  assert.deepEqual(file.reads.map(({ from }) => from), [1_000, 1_100, 1_200, 1_300, 1_400]);
  assert.deepEqual(shown, [[1, 1_100 % 251, 10]]);
});

test('tiles that arrive together are separated', async () => {
  const { file, requests, shown } = made();
  requests.want([7, 6, 8].map((each) => tile(each)));
  assert.deepEqual(file.reads.map(({ from, length }) => [from, length]), [[1_060, 30]]);
  file.reads[0].answer();
  await settled();
  assert.deepEqual(shown, [6, 7, 8].map((each) => [each, (1_000 + each * 10) % 251, 10]));
});

test('requests for tiles that have left the view are aborted, and make room', () => {
  const { file, requests } = made();
  requests.want(apart(6));
  requests.want(apart(6).slice(3));
  assert.deepEqual(file.reads.map(({ signal }) => signal.aborted), [true, true, true, false, false, false]);
  assert.deepEqual(file.reads.map(({ from }) => from).slice(3), [1_300, 1_400, 1_500]);
});

test('a tile in flight is not requested again, and is not displayed once it is not needed', async () => {
  const { file, requests, shown, problems } = made();
  requests.want(apart(2));
  requests.want(apart(2));
  assert.equal(file.reads.length, 2);
  requests.want([]);
  file.reads[0].answer();
  await settled();
  assert.deepEqual([shown, problems, file.open.length], [[], [], 0]);
});

test('after a busy response a request is retried, a few times', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { file, requests, shown, problems } = made();
    requests.want([tile(0)]);
    for (let time = 1; time <= 3; time += 1) {
      file.reads[time - 1].fail(new Problem(503, 'Busy', '', 7));
      await settled();
      mock.timers.tick(6_999);
      await settled();
      assert.equal(file.reads.length, time);
      mock.timers.tick(1);
      await settled();
      assert.equal(file.reads.length, time + 1);
    }
    file.reads[3].fail(new Problem(503, 'Busy', '', 7));
    await settled();
    mock.timers.tick(100_000);
    await settled();
    assert.deepEqual([file.reads.length, shown, problems], [4, [], []]);
    // A new view requests it again.
    requests.want([tile(0)]);
    assert.equal(file.reads.length, 5);
  } finally {
    mock.timers.reset();
  }
});

test("a tile that left the view during a retry's pause is not requested again", async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { file, requests } = made();
    requests.want([tile(0)]);
    file.reads[0].fail(new Problem(0, 'The connection was lost'));
    await settled();
    requests.want([]);
    mock.timers.tick(100_000);
    await settled();
    assert.equal(file.reads.length, 1);
  } finally {
    mock.timers.reset();
  }
});

test('a permanent problem is reported at once', async () => {
  const { file, requests, problems } = made();
  requests.want([tile(0)]);
  file.reads[0].fail(new Problem(404, 'Gone'));
  await settled();
  assert.deepEqual(problems.map(({ status }) => status), [404]);
  assert.equal(file.reads.length, 1);
});
