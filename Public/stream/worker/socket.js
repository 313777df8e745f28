/**
 * @typedef {{opened: () => void, said: (message: any) => void, sent: (message: ArrayBuffer) => void,
 *   closed: (how: {wasOpen: boolean, failures: number}) => void}} Listener  `said` is given what came as JSON, `sent`
 *   what came as bytes. `failures`: how often in a row there was nothing, the present time included.
 */

/**
 * The WebSocket of the stream: opened again when it breaks, ever more slowly while that is in vain. Says how much has
 * come, so that the server knows the link. A server that stands still, or a network that carries nothing any more, breaks
 * no socket: when there is a doubt the server is asked, and where it does not answer the socket counts as broken.
 */
export class StreamSocket {
  static #firstPause = 250;
  static #longestPause = 10_000;
  /** A socket that has not opened by then will not. Milliseconds. */
  static #openTimeout = 8_000;
  /** What has been opening for so long may be given up for another try. Milliseconds. */
  static #hasty = 3_000;
  /** So long nothing at all may come when an answer is due. Milliseconds. */
  static #answerTimeout = 5_000;
  /** What breaks sooner than this after its first word, and brought no picture, counts as one that never opened. */
  static #firm = 5_000;
  /** Between two words about how much has come. Milliseconds. */
  static #acknowledgePause = 4;

  #url;
  #listener;
  /** @type {WebSocket | null} */
  #socket = null;
  #isOpen = false;
  #isAwake = true;
  /** When the present socket began to open. */
  #beganAt = 0;
  #failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #received = 0;
  #acknowledgedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #acknowledging;
  /**
   * Whether the server answers pings, as its greeting says: an older one takes them for a mistake. Null before the greeting.
   * @type {boolean | null}
   */
  #answersPings = null;
  /**
   * Runs while an answer is due.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #asking;
  /**
   * Runs until the socket has held for long enough.
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

  /** How many bytes of binary messages have come by this socket. */
  get received() {
    return this.#received;
  }

  /** Finds out whether the server is there still. Whatever comes is an answer; at the beginning the greeting is due. */
  ask() {
    if (!this.#isOpen || this.#answersPings === false || this.#asking !== undefined) return;
    if (this.#answersPings) this.send({ type: 'ping' });
    this.#asking = setTimeout(() => this.#drop(), StreamSocket.#answerTimeout);
  }

  /** Others are answered: a socket that is still opening then may be led to who does not, and another is tried. */
  hasten() {
    const socket = this.#socket;
    if (!socket || this.#isOpen || performance.now() - this.#beganAt < StreamSocket.#hasty) return;
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
    this.#beganAt = performance.now();
    this.#received = 0;
    socket.binaryType = 'arraybuffer';
    const giveUp = setTimeout(() => socket.close(), StreamSocket.#openTimeout);
    socket.addEventListener('open', () => {
      clearTimeout(giveUp);
      if (socket !== this.#socket) return;
      this.#isOpen = true;
      this.#listener.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      // What an earlier socket still brings belongs to tokens that are over.
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
    // Somebody on the way may open sockets that carry nothing.
    this.#holding ??= setTimeout(() => (this.#failures = 0), StreamSocket.#firm);
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
    const wait = this.#acknowledgedAt + StreamSocket.#acknowledgePause - performance.now();
    if (wait <= 0) this.#acknowledgeNow();
    else this.#acknowledging = setTimeout(() => this.#acknowledgeNow(), wait);
  }

  #acknowledgeNow() {
    this.#acknowledging = undefined;
    this.#acknowledgedAt = performance.now();
    this.send({ type: 'received', bytes: this.#received });
  }

  /** Its `close` event may be long in coming: that waits for a word of the other end (RFC 6455 §7.1.1). */
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
    const pause = Math.min(StreamSocket.#longestPause, StreamSocket.#firstPause * 2 ** (this.#failures - 1));
    // A server that was restarted should not meet all its pages at once.
    if (this.#isAwake) this.#timer = setTimeout(() => this.#open(), pause * (0.75 + Math.random() / 2));
    this.#listener.closed({ wasOpen, failures: this.#failures });
  }
}
