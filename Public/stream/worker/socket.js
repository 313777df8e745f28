/**
 * @typedef {{opened: () => void, said: (message: any) => void, sent: (message: ArrayBuffer) => void,
 *   closed: (how: {wasOpen: boolean, failures: number}) => void}} Listener  `said` is given what came as JSON, `sent`
 *   what came as bytes. `failures`: how often in a row there was nothing, the present time included.
 */

/**
 * The WebSocket of the stream: opened again when it breaks, ever more slowly while that is in vain. Says how much has
 * come, so that the server knows the link.
 */
export class StreamSocket {
  static #firstPause = 250;
  static #longestPause = 10_000;
  /** A socket that has not opened by then will not. Milliseconds. */
  static #openTimeout = 8_000;
  /** What breaks sooner than this after it opened, and brought no picture, counts as one that never opened. */
  static #firm = 5_000;
  /** Between two words about how much has come. Milliseconds. */
  static #acknowledgePause = 4;

  #url;
  #listener;
  /** @type {WebSocket | null} */
  #socket = null;
  #isOpen = false;
  #isAwake = true;
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #received = 0;
  #acknowledgedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #acknowledging;

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

  /** How many bytes of binary messages have come by this socket. */
  get received() {
    return this.#received;
  }

  /** Closes, and stays closed until `wake`. */
  sleep() {
    this.#isAwake = false;
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    socket?.close(1000);
  }

  /** Opens now, if it is not open: somebody knows better than the clock. */
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
    this.#received = 0;
    socket.binaryType = 'arraybuffer';
    const giveUp = setTimeout(() => socket.close(), StreamSocket.#openTimeout);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let firm;
    socket.addEventListener('open', () => {
      clearTimeout(giveUp);
      if (socket !== this.#socket) return;
      this.#isOpen = true;
      firm = setTimeout(() => (this.#failures = 0), StreamSocket.#firm);
      this.#listener.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      // What an earlier socket still brings belongs to tokens that are over.
      if (socket === this.#socket) this.#take(data);
    });
    socket.addEventListener('close', () => {
      clearTimeout(giveUp);
      clearTimeout(firm);
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
    this.#listener.said(message);
  }

  #acknowledge() {
    if (this.#acknowledging !== undefined) return;
    const wait = this.#acknowledgedAt + StreamSocket.#acknowledgePause - performance.now();
    if (wait <= 0) this.#acknowledgeNow();
    else this.#acknowledging = setTimeout(() => this.#acknowledgeNow(), wait);
  }

  #acknowledgeNow() {
    this.#acknowledging = undefined;
    this.#acknowledgedAt = performance.now();
    this.send({ type: 'received', bytes: this.#received });
  }

  #closed() {
    const wasOpen = this.#isOpen;
    this.#socket = null;
    this.#isOpen = false;
    this.#failures += 1;
    const pause = Math.min(StreamSocket.#longestPause, StreamSocket.#firstPause * 2 ** (this.#failures - 1));
    // A server that was restarted should not meet all its pages at once.
    if (this.#isAwake) this.#timer = setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2));
    this.#listener.closed({ wasOpen, failures: this.#failures });
  }
}
