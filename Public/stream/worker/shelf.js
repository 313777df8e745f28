import { Marks } from './marks.js';

/**
 * @typedef {{key: string, type: string, body: ArrayBuffer, isIncomplete?: boolean}} Book  `isIncomplete`: the file ends
 *   before its picture does; absent where it was kept by an older page.
 * @typedef {import('./marks.js').Mark} Mark
 */

/**
 * Renditions kept across visits, in IndexedDB: bounded in bytes and in number, the least recently used go first. What is
 * on it is known from memory; only a rendition's bytes are read from the disk. Where the browser keeps nothing (a private
 * window, a full disk) the shelf stays empty, and nobody else need know.
 */
export class Shelf {
  static #database = 'tessera';
  static #allowed = 256 * 1_048_576;
  /** Each has a mark in memory: previews alone would make hundreds of thousands of them. */
  static #most = 40_000;
  /** Writing is put off until this much waits, or nothing came for a while: a fling has better things to do. */
  static #mostWaiting = 4 * 1_048_576;
  static #quiet = 700;
  /** Nor longer than this: a page that is closed may end before what waits is written. Milliseconds. */
  static #latest = 3_000;
  /** A browser that cannot open its database by then has other worries. Milliseconds. */
  static #openTimeout = 1_500;

  /** @type {IDBDatabase | null} */
  #opened = null;
  #marks;
  /** @type {Map<string, Book>} */
  #waiting = new Map();
  #waitingBytes = 0;
  /** @type {Set<string>} */
  #removed = new Set();
  /** @type {Set<string>} */
  #touched = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Since when something waits to be written; 0 where nothing does. */
  #waitingSince = 0;
  #onEvicted;

  /**
   * @param {(keys: string[]) => void} onEvicted
   * @param {number} [budget]  Bytes.
   * @param {number} [most]
   */
  constructor(onEvicted, budget = Shelf.#allowed, most = Shelf.#most) {
    this.#onEvicted = onEvicted;
    this.#marks = new Marks(budget, most);
    /** Settles once it is known what is on the shelf. Never rejects. */
    this.ready = this.#open();
  }

  /** The least recently used first. */
  get keys() {
    return this.#marks.keys;
  }

  /** @param {string} key */
  has(key) {
    return this.#marks.has(key);
  }

  /**
   * @param {string} key
   * @returns {Promise<Book | null>}  Null if it is not there (any more).
   */
  async get(key) {
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    if (!this.#opened || !this.#marks.has(key)) return null;
    this.#touch(key);
    try {
      const book = await settled(this.#opened.transaction('books').objectStore('books').get(key));
      if (book) return { key, ...book };
    } catch {
      // As if it had not been there.
    }
    this.remove(key);
    return null;
  }

  /** @param {Book} book */
  put(book) {
    if (!this.#opened || this.#marks.has(book.key)) return;
    const bytes = book.body.byteLength;
    this.#marks.set(book.key, { bytes, used: Date.now() });
    this.#removed.delete(book.key);
    this.#waiting.set(book.key, book);
    this.#waitingBytes += bytes;
    this.#makeRoom();
    this.#writeSoon();
  }

  /** @param {string} key */
  remove(key) {
    const mark = this.#marks.delete(key);
    if (!mark) return;
    if (this.#waiting.delete(key)) this.#waitingBytes -= mark.bytes;
    else this.#removed.add(key);
    this.#writeSoon();
  }

  /** Writes now what waits to be written. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) this.#write();
  }

  async #open() {
    const opening = openDatabase(Shelf.#database);
    try {
      this.#opened = await within(Shelf.#openTimeout, opening);
      // Another page with a newer front must not have to wait for this one.
      this.#opened.onversionchange = () => this.#doWithout();
      await this.#readMarks(this.#opened);
    } catch {
      // It may come after all, and nobody would close it.
      opening.then((database) => database.close(), () => {});
      this.#doWithout();
    }
  }

  /** @param {IDBDatabase} database */
  async #readMarks(database) {
    const store = database.transaction('marks').objectStore('marks');
    const [keys, marks] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    const order = marks.map((/** @type {Mark} */ mark, /** @type {number} */ at) => ({ key: String(keys[at]), mark }));
    order.sort((one, other) => one.mark.used - other.mark.used);
    for (const { key, mark } of order) this.#marks.set(key, mark);
    this.#makeRoom();
  }

  /** @param {string} key */
  #touch(key) {
    const mark = /** @type {Mark} */ (this.#marks.get(key));
    this.#marks.set(key, { ...mark, used: Date.now() });
    this.#touched.add(key);
    this.#writeSoon();
  }

  #makeRoom() {
    const evicted = this.#marks.excess();
    for (const key of evicted) this.remove(key);
    if (evicted.length > 0) this.#onEvicted(evicted);
  }

  #writeSoon() {
    if (!this.#opened) return;
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#waitingSince ||= now;
    const isDue = this.#waitingBytes > Shelf.#mostWaiting || now - this.#waitingSince > Shelf.#latest;
    this.#timer = setTimeout(() => this.#write(), isDue ? 0 : Shelf.#quiet);
  }

  async #write() {
    const database = this.#opened;
    if (!database) return;
    this.#waitingSince = 0;
    const books = [...this.#waiting.values()];
    const [removed, touched] = [[...this.#removed], [...this.#touched]];
    this.#removed.clear();
    this.#touched.clear();
    try {
      const transaction = database.transaction(['books', 'marks'], 'readwrite', { durability: 'relaxed' });
      const [store, marks] = [transaction.objectStore('books'), transaction.objectStore('marks')];
      for (const key of removed) {
        store.delete(key);
        marks.delete(key);
      }
      for (const { key, ...book } of books) store.put(book, key);
      for (const key of [...books.map((book) => book.key), ...touched]) {
        const mark = this.#marks.get(key);
        if (mark) marks.put(mark, key);
      }
      await completed(transaction);
      for (const book of books) this.#written(book);
    } catch {
      this.#notWritten(books);
    }
  }

  /** @param {Book} book */
  #written(book) {
    if (this.#waiting.get(book.key) !== book) return;
    this.#waiting.delete(book.key);
    this.#waitingBytes -= book.body.byteLength;
  }

  /**
   * Most likely the browser gives no more room: what was not written is given up, and the shelf is made smaller.
   * @param {Book[]} books
   */
  #notWritten(books) {
    for (const { key } of books) this.remove(key);
    this.#onEvicted(books.map((book) => book.key));
    this.#marks.shrink();
    if (books.length > 0 && this.#marks.bytes > 0) this.#makeRoom();
    else this.#doWithout();
  }

  #doWithout() {
    clearTimeout(this.#timer);
    this.#opened?.close();
    this.#opened = null;
    const keys = this.#marks.clear();
    this.#waiting.clear();
    this.#waitingBytes = 0;
    if (keys.length > 0) this.#onEvicted(keys);
  }
}

/**
 * @param {string} name
 * @returns {Promise<IDBDatabase>}
 */
async function openDatabase(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('books');
    request.result.createObjectStore('marks');
  };
  return settled(request);
}

/**
 * @param {IDBRequest} request
 * @returns {Promise<any>}
 */
function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBTransaction} transaction */
function completed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(undefined);
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
function within(milliseconds, promise) {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('Not in time')), milliseconds);
    promise.then(resolve, reject);
  });
}
