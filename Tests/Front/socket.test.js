import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { StreamSocket } from '../../Public/stream/worker/socket.js';

/** The browser's end of a socket, controlled by the test. */
class HeldSocket extends EventTarget {
  /** @type {HeldSocket[]} */
  static all = [];

  /** @type {object[]} */
  said = [];
  isClosed = false;

  constructor() {
    super();
    HeldSocket.all.push(this);
  }

  /** @param {string} text */
  send(text) {
    this.said.push(JSON.parse(text));
  }

  /** The other end does not respond, so no `close` event follows. */
  close() {
    this.isClosed = true;
  }

  open() {
    this.dispatchEvent(new Event('open'));
  }

  /** @param {object | ArrayBuffer} message */
  bring(message) {
    const data = message instanceof ArrayBuffer ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

const greeting = { type: 'session', session: 'S', revision: 1, total: 3, pings: true };

/** @type {{wasOpen: boolean, failures: number}[]} */
let endings;
/** Of the clock, in milliseconds. */
let now;

beforeEach(() => {
  globalThis.WebSocket = /** @type {any} */ (HeldSocket);
  HeldSocket.all = [];
  endings = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  now = 0;
  mock.method(performance, 'now', () => now);
});

/** @param {object} [greeted] */
function opened(greeted) {
  const stream = new StreamSocket('ws://gallery/', {
    opened() {}, said() {}, sent() {}, closed: (how) => endings.push(how),
  });
  const [socket] = HeldSocket.all;
  socket.open();
  if (greeted) socket.bring(greeted);
  return { stream, socket };
}

/** Pings without a response, and opens the next socket. */
function leave(stream) {
  stream.ask();
  mock.timers.tick(5_000);
  mock.timers.tick(320);
  HeldSocket.all[1].open();
}

/** @param {HeldSocket} socket */
const pings = (socket) => socket.said.filter(({ type }) => type === 'ping').length;

test('a server that does not answer is left for another within five seconds and a pause', () => {
  const { stream, socket } = opened(greeting);
  stream.ask();
  assert.equal(pings(socket), 1);
  mock.timers.tick(4_999);
  assert.equal(stream.isOpen, true);
  mock.timers.tick(1);
  assert.equal(stream.isOpen, false);
  assert.equal(socket.isClosed, true);
  assert.deepEqual(endings, [{ wasOpen: true, failures: 1 }]);
  mock.timers.tick(320);
  assert.equal(HeldSocket.all.length, 2);
  HeldSocket.all[1].open();
  assert.equal(stream.isOpen, true);
});

test('late messages of a socket that was left, and its closing, change nothing', () => {
  const { stream, socket } = opened(greeting);
  leave(stream);
  socket.bring(new ArrayBuffer(9));
  socket.dispatchEvent(new Event('close'));
  assert.equal(stream.received, 0);
  assert.equal(stream.isOpen, true);
  assert.equal(endings.length, 1);
});

for (const answer of [{ type: 'pong' }, { type: 'catalog', revision: 2, total: 4 }, new ArrayBuffer(9)]) {
  test(`${answer instanceof ArrayBuffer ? 'a picture' : answer.type} counts as an answer`, () => {
    const { stream, socket } = opened(greeting);
    stream.ask();
    mock.timers.tick(4_000);
    socket.bring(answer);
    mock.timers.tick(60_000);
    assert.equal(stream.isOpen, true);
    stream.ask();
    assert.equal(pings(socket), 2);
  });
}

test('while an answer is due no ping is sent, and the timeout is not extended', () => {
  const { stream, socket } = opened(greeting);
  stream.ask();
  mock.timers.tick(3_000);
  stream.ask();
  assert.equal(pings(socket), 1);
  mock.timers.tick(2_000);
  assert.equal(stream.isOpen, false);
});

test('a server that never sends a greeting is left, even if it may not answer pings', () => {
  const { stream, socket } = opened();
  stream.ask();
  assert.equal(pings(socket), 0);
  mock.timers.tick(5_000);
  assert.equal(stream.isOpen, false);
});

test('an older server, which rejects pings, is not pinged and not left', () => {
  const { pings: _, ...older } = greeting;
  const { stream, socket } = opened(older);
  stream.ask();
  mock.timers.tick(60_000);
  assert.equal(pings(socket), 0);
  assert.equal(stream.isOpen, true);
});

test('a sleeping stream sends no pings, and no answer is due when it wakes', () => {
  const { stream } = opened(greeting);
  stream.ask();
  stream.sleep();
  stream.wake();
  HeldSocket.all[1].open();
  mock.timers.tick(60_000);
  assert.equal(stream.isOpen, true);
  assert.equal(endings.length, 0);
});

test('a socket that has been opening for three seconds is replaced when the server answers requests', () => {
  const { stream } = opened(greeting);
  stream.ask();
  mock.timers.tick(5_000);
  mock.timers.tick(320);
  assert.equal(HeldSocket.all.length, 2);
  now = 2_999;
  stream.hasten();
  assert.equal(HeldSocket.all.length, 2);
  now = 3_000;
  stream.hasten();
  assert.equal(HeldSocket.all.length, 3);
  assert.equal(HeldSocket.all[1].isClosed, true);
  HeldSocket.all[2].open();
  HeldSocket.all[1].dispatchEvent(new Event('close'));
  assert.equal(stream.isOpen, true);
});

test('an open socket, and one that is backing off, are not hastened', () => {
  const { stream, socket } = opened(greeting);
  now = 60_000;
  stream.hasten();
  assert.equal(socket.isClosed, false);
  socket.dispatchEvent(new Event('close'));
  stream.hasten();
  assert.equal(HeldSocket.all.length, 1);
});

test('sockets that open and carry nothing count as failures, however long they were open', () => {
  const { stream } = opened();
  for (let round = 1; round <= 3; round += 1) {
    mock.timers.tick(6_000);
    stream.ask();
    mock.timers.tick(5_000);
    assert.equal(endings.at(-1)?.failures, round);
    mock.timers.tick(10_000);
    HeldSocket.all[round].open();
  }
});

test('a socket that was greeted and lasted resets the failures', () => {
  const { socket } = opened(greeting);
  mock.timers.tick(5_000);
  socket.dispatchEvent(new Event('close'));
  assert.equal(endings.at(-1)?.failures, 1);
  mock.timers.tick(320);
  HeldSocket.all[1].open();
  HeldSocket.all[1].bring(greeting);
  mock.timers.tick(5_000);
  HeldSocket.all[1].dispatchEvent(new Event('close'));
  assert.equal(endings.at(-1)?.failures, 1);
});
