import { Marks } from './marks.js';
import { databaseName } from './tile-cache-name.js';

/**
 * @typedef {{key: string, type: string, body: ArrayBuffer, isIncomplete?: boolean}} CachedRendition  `isIncomplete`:
 *   the file is truncated; absent if an older page stored it.
 * @typedef {import('./marks.js').Mark} Mark
 */

const defaultBudget = 256 * 1_048_576;
/** Each entry has a mark in memory: previews alone would make hundreds of thousands of them. */
const mostEntries = 40_000;
/**
 * Writes are batched until this many bytes are waiting or nothing has arrived for a while: during a fling, there is
 * no time to write.
 */
const mostWaiting = 4 * 1_048_576;
const writeDelay = 700;
/** The longest delay of a write: a page may be closed before it. Milliseconds. */
const longestWriteDelay = 3_000;
/** How long to wait for the database to open. Milliseconds. */
const openTimeout = 1_500;

/**
 * Renditions cached across visits, in IndexedDB: bounded in bytes and in number, the least recently used evicted first.
 * The index is in memory; only bodies are read from the disk. If the browser stores nothing (a private window, a full
 * disk), the cache stays empty, and callers need not know.
 */
export class TileCache {
  /** @type {IDBDatabase | null} */
  #opened = null;
  #marks;
  /** @type {Map<string, CachedRendition>} */
  #waiting = new Map();
  #waitingBytes = 0;
  /** @type {Set<string>} */
  #removed = new Set();
  /** @type {Set<string>} */
  #touched = new Set();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** The time since which data has been waiting to be written; 0 if none is. */
  #waitingSince = 0;
  #onEvicted;

  /**
   * @param {(keys: string[]) => void} onEvicted
   * @param {number} [budget]  Bytes.
   * @param {number} [most]
   */
  constructor(onEvicted, budget = defaultBudget, most = mostEntries) {
    this.#onEvicted = onEvicted;
    this.#marks = new Marks(budget, most);
    /** Settles once the index is loaded. Never rejects. */
    this.ready = this.#open();
  }

  /** Least recently used first. */
  get keys() {
    return this.#marks.keys;
  }

  /** @param {string} key */
  has(key) {
    return this.#marks.has(key);
  }

  /**
   * @param {string} key
   * @returns {Promise<CachedRendition | null>}  Null if it is not there (any more).
   */
  async get(key) {
    const waiting = this.#waiting.get(key);
    if (waiting) return waiting;
    if (!this.#opened || !this.#marks.has(key)) return null;
    this.#touch(key);
    try {
      const cached = await settled(this.#opened.transaction('renditions').objectStore('renditions').get(key));
      if (cached) return { key, ...cached };
    } catch {
      // Treat it as a cache miss.
    }
    this.remove(key);
    return null;
  }

  /** @param {CachedRendition} cached */
  put(cached) {
    if (!this.#opened || this.#marks.has(cached.key)) return;
    const bytes = cached.body.byteLength;
    this.#marks.set(cached.key, { bytes, used: Date.now() });
    this.#removed.delete(cached.key);
    this.#waiting.set(cached.key, cached);
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

  /** Writes what is waiting to be written. */
  flush() {
    clearTimeout(this.#timer);
    if (this.#waiting.size > 0) this.#write();
  }

  async #open() {
    const opening = openDatabase(databaseName);
    try {
      this.#opened = await within(openTimeout, opening);
      // Another page with a newer version of the database must not have to wait for this one.
      this.#opened.onversionchange = () => this.#doWithout();
      await this.#readMarks(this.#opened);
    } catch {
      // It may open after all, and nobody else would close it.
      opening.then((database) => database.close(), () => {});
      this.#doWithout();
    }
  }

  /** @param {IDBDatabase} database */
  async #readMarks(database) {
    const store = database.transaction('marks').objectStore('marks');
    const [keys, marks] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())]);
    const order = marks.map((/** @type {Mark} */ mark, /** @type {number} */ at) => ({ key: String(keys[at]), mark }));
    order.sort((/** @type {{mark: Mark}} */ one, /** @type {{mark: Mark}} */ other) => one.mark.used - other.mark.used);
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
    const isDue = this.#waitingBytes > mostWaiting || now - this.#waitingSince > longestWriteDelay;
    this.#timer = setTimeout(() => this.#write(), isDue ? 0 : writeDelay);
  }

  async #write() {
    const database = this.#opened;
    if (!database) return;
    this.#waitingSince = 0;
    const stored = [...this.#waiting.values()];
    const [removed, touched] = [[...this.#removed], [...this.#touched]];
    this.#removed.clear();
    this.#touched.clear();
    try {
      const transaction = database.transaction(['renditions', 'marks'], 'readwrite', { durability: 'relaxed' });
      const [store, marks] = [transaction.objectStore('renditions'), transaction.objectStore('marks')];
      for (const key of removed) {
        store.delete(key);
        marks.delete(key);
      }
      for (const { key, ...cached } of stored) store.put(cached, key);
      for (const key of [...stored.map((cached) => cached.key), ...touched]) {
        const mark = this.#marks.get(key);
        if (mark) marks.put(mark, key);
      }
      await completed(transaction);
      for (const cached of stored) this.#written(cached);
    } catch {
      this.#notWritten(stored);
    }
  }

  /** @param {CachedRendition} cached */
  #written(cached) {
    if (this.#waiting.get(cached.key) !== cached) return;
    this.#waiting.delete(cached.key);
    this.#waitingBytes -= cached.body.byteLength;
  }

  /**
   * The browser is most likely out of space: drop what was not written, and shrink the cache.
   * @param {CachedRendition[]} stored
   */
  #notWritten(stored) {
    for (const { key } of stored) this.remove(key);
    this.#onEvicted(stored.map((cached) => cached.key));
    this.#marks.shrink();
    if (stored.length > 0 && this.#marks.bytes > 0) this.#makeRoom();
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
  const request = indexedDB.open(name, 2);
  request.onupgradeneeded = () => {
    const database = request.result;
    // Version 1 had other stores. It is only a cache, so its contents are dropped.
    for (const store of [...database.objectStoreNames]) database.deleteObjectStore(store);
    database.createObjectStore('renditions');
    database.createObjectStore('marks');
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
