/**
 * @typedef {{opened: () => void, said: (message: any) => void, sent: (message: ArrayBuffer) => void, closed: (how:
 *   {wasOpen: boolean, failures: number}) => void}} Listener  `said` receives JSON messages, `sent` binary ones.
 *   `failures`: the number of consecutive failures, including this one.
 */

const firstPause = 250;
const longestPause = 10_000;
/** The time limit for opening a socket. Milliseconds. */
const openTimeout = 8_000;
/** After this time a socket that is still opening may be replaced. Milliseconds. */
const replaceableAfter = 3_000;
/** How long to wait for an answer while nothing at all arrives. Milliseconds. */
const answerTimeout = 5_000;
/**
 * A socket that breaks sooner than this after its greeting, without a rendition, counts as never opened.
 * Milliseconds.
 */
const stableAfter = 5_000;
/** The interval of acknowledgements. Milliseconds. */
const acknowledgementInterval = 4;

/**
 * The WebSocket of the stream: reconnects with backoff. Acknowledges the bytes received, from which the server
 * estimates the link. A hung server, or a network that has gone silent, does not close a socket: in doubt the server is
 * pinged, and without an answer the socket counts as broken.
 */
export class StreamSocket {
  #url;
  #listener;
  /** @type {WebSocket | null} */
  #socket = null;
  #isOpen = false;
  #isAwake = true;
  /** When the present socket started to open. */
  #beganAt = 0;
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #received = 0;
  #acknowledgedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #acknowledging;
  /**
   * Whether the server answers pings, according to its greeting: an older one rejects them. Null before the greeting.
   * @type {boolean | null}
   */
  #answersPings = null;
  /**
   * Runs while an answer is due.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #asking;
  /**
   * Runs until the socket has lasted long enough to count as a success.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #holding;

  /**
   * @param {string} url
   * @param {Listener} listener
   */
  constructor(url, listener) {
    this.#url = url;
    this.#listener = listener;
    this.#open();
  }

  get isOpen() {
    return this.#isOpen;
  }

  /** @param {object} message */
  send(message) {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(message));
  }

  /** Bytes of binary messages received on this socket. */
  get received() {
    return this.#received;
  }

  /** Checks whether the server is still there. Any message counts as an answer; at first the greeting is due. */
  ask() {
    if (!this.#isOpen || this.#answersPings === false || this.#asking !== undefined) return;
    if (this.#answersPings) this.send({ type: 'ping' });
    this.#asking = setTimeout(() => this.#drop(), answerTimeout);
  }

  /** Requests are being answered: a socket that is still opening may have reached a dead node, so another is tried. */
  hasten() {
    const socket = this.#socket;
    if (!socket || this.#isOpen || performance.now() - this.#beganAt < replaceableAfter) return;
    this.#forget();
    socket.close();
    this.#open();
  }

  /** Closes, and stays closed until `wake`. */
  sleep() {
    this.#isAwake = false;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#forget();
    socket?.close(1000);
  }

  /** Opens now, if it is not open, without waiting for the backoff. */
  wake() {
    this.#isAwake = true;
    if (this.#socket) return;
    this.#failures = 0;
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    const socket = this.#make();
    if (!socket) return;
    this.#socket = socket;
    this.#beganAt = performance.now();
    this.#received = 0;
    socket.binaryType = 'arraybuffer';
    const giveUp = setTimeout(() => socket.close(), openTimeout);
    socket.addEventListener('open', () => {
      clearTimeout(giveUp);
      if (socket !== this.#socket) return;
      this.#isOpen = true;
      this.#listener.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      // Messages of an earlier socket belong to tokens that are over.
      if (socket === this.#socket) this.#take(data);
    });
    socket.addEventListener('close', () => {
      clearTimeout(giveUp);
      if (socket === this.#socket) this.#closed();
    });
  }

  #make() {
    try {
      return new WebSocket(this.#url, 'tessera.v1');
    } catch {
      // A policy forbids it.
      this.#closed();
      return null;
    }
  }

  /** @param {string | ArrayBuffer} data */
  #take(data) {
    this.#stopAsking();
    // A proxy may open sockets that carry nothing.
    this.#holding ??= setTimeout(() => (this.#failures = 0), stableAfter);
    if (typeof data !== 'string') {
      this.#received += data.byteLength;
      this.#failures = 0;
      this.#acknowledge();
      this.#listener.sent(data);
      return;
    }
    let message;
    try {
      message = JSON.parse(data);
    } catch {
      return;
    }
    if (message?.type === 'session') this.#answersPings = message.pings === true;
    this.#listener.said(message);
  }

  #acknowledge() {
    if (this.#acknowledging !== undefined) return;
    const wait = this.#acknowledgedAt + acknowledgementInterval - performance.now();
    if (wait <= 0) this.#acknowledgeNow();
    else this.#acknowledging = setTimeout(() => this.#acknowledgeNow(), wait);
  }

  #acknowledgeNow() {
    this.#acknowledging = undefined;
    this.#acknowledgedAt = performance.now();
    this.send({ type: 'received', bytes: this.#received });
  }

  /** Its `close` event may be late: it waits for the other end (RFC 6455 §7.1.1). */
  #drop() {
    const socket = this.#socket;
    this.#closed();
    socket?.close();
  }

  #stopAsking() {
    clearTimeout(this.#asking);
    this.#asking = undefined;
  }

  #forget() {
    this.#stopAsking();
    clearTimeout(this.#holding);
    this.#holding = undefined;
    this.#socket = null;
    this.#isOpen = false;
    this.#answersPings = null;
  }

  #closed() {
    const wasOpen = this.#isOpen;
    this.#forget();
    this.#failures += 1;
    const pause = Math.min(longestPause, firstPause * 2 ** (this.#failures - 1));
    // Jitter: a restarted server should not meet all its pages at once.
    if (this.#isAwake) this.#timer = setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2));
    this.#listener.closed({ wasOpen, failures: this.#failures });
  }
}
