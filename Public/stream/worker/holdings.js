import { bestStep } from '../../loading/sizes.js';

/**
 * @typedef {import('./message.js').Kind} Kind
 * @typedef {import('./shelf.js').Book} Book
 * @typedef {import('./shelf.js').Shelf} Shelf
 * @typedef {{image: string, version: string, renditions: Kind[]}} Holding
 */

/**
 * The renditions that the page has and that need not be sent again: the latest in memory, the others on the shelf.
 * Knows which of them the server was told of, so that it can be told when they are gone.
 */
export class Holdings {
  static #budget = 48 * 1_048_576;
  /** Books in memory, however small. */
  static #mostBooks = 10_000;
  /** The most that one message tells of; the stream allows no more. */
  static #most = 500;
  /** @type {Kind[]} */
  static #kinds = ['preview', '160', 'tile', '640', '1280', '2560'];

  /**
   * In order of use, the least recent first.
   * @type {Map<string, Book>}
   */
  #memory = new Map();
  #bytes = 0;
  #shelf;
  /**
   * What the server takes for held.
   * @type {Set<string>}
   */
  #told = new Set();
  #tell;

  /**
   * @param {(message: {type: 'has' | 'forgot', images: Holding[]}) => void} tell
   * @param {(onEvicted: (keys: string[]) => void) => Shelf} makeShelf
   */
  constructor(tell, makeShelf) {
    this.#tell = tell;
    this.#shelf = makeShelf((keys) => this.#lost(keys));
  }

  /** Settles once it is known what is held. */
  get ready() {
    return this.#shelf.ready;
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  has(image, version, kind) {
    const key = keyOf(image, version, kind);
    return this.#memory.has(key) || this.#shelf.has(key);
  }

  /**
   * What of it serves best where so much is needed, previews aside.
   * @param {string} image
   * @param {string} version
   * @param {Kind} needed
   */
  best(image, version, needed) {
    const isHere = (/** @type {any} */ kind) => this.has(image, version, kind);
    return /** @type {Kind | undefined} */ (bestStep(needed, isHere));
  }

  /**
   * The versions of all images that are held, by image; where there are several, the one that was used last.
   * @returns {Map<string, string>}
   */
  get versions() {
    const keys = [...this.#shelf.keys, ...this.#memory.keys()].map((key) => key.split('/'));
    return new Map(keys.map(([image, version]) => [image, version]));
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   * @returns {Promise<Book | null>}
   */
  async get(image, version, kind) {
    const key = keyOf(image, version, kind);
    const book = this.#memory.get(key) ?? (await this.#shelf.get(key));
    if (book) this.#remember(book);
    else this.#lost([key]);
    return book;
  }

  /**
   * What was sent; the server knows that it is held.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   * @param {string} type  A media type.
   * @param {ArrayBuffer} body
   * @param {boolean} [isIncomplete]  The file ends before its picture does.
   */
  put(image, version, kind, type, body, isIncomplete = false) {
    const book = { key: keyOf(image, version, kind), type, body, isIncomplete };
    this.#told.add(book.key);
    this.#remember(book);
    this.#shelf.put(book);
  }

  /**
   * It proved to be no picture.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  remove(image, version, kind) {
    const key = keyOf(image, version, kind);
    this.#drop(key);
    this.#shelf.remove(key);
    this.#lost([key]);
  }

  /** The page may not come back. */
  flush() {
    this.#shelf.flush();
  }

  /** Another server, or the same one with no memory of this page. */
  begin() {
    this.#told.clear();
  }

  /**
   * Tells the server what is held of these images.
   * @param {{image: string, version: string}[]} images
   */
  tellOf(images) {
    const holdings = [];
    for (const { image, version } of images) {
      const renditions = Holdings.#kinds.filter((kind) => this.#isUntold(image, version, kind));
      for (const kind of renditions) this.#told.add(keyOf(image, version, kind));
      if (renditions.length > 0) holdings.push({ image, version, renditions });
    }
    this.#send('has', holdings);
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  #isUntold(image, version, kind) {
    return this.has(image, version, kind) && !this.#told.has(keyOf(image, version, kind));
  }

  /** @param {Book} book */
  #remember(book) {
    this.#drop(book.key);
    this.#memory.set(book.key, book);
    this.#bytes += book.body.byteLength;
    const lost = [];
    for (const key of this.#memory.keys()) {
      const fits = this.#bytes <= Holdings.#budget && this.#memory.size <= Holdings.#mostBooks;
      if (fits || key === book.key) break;
      this.#drop(key);
      if (!this.#shelf.has(key)) lost.push(key);
    }
    if (lost.length > 0) this.#lost(lost);
  }

  /** @param {string} key */
  #drop(key) {
    const book = this.#memory.get(key);
    if (!book) return;
    this.#memory.delete(key);
    this.#bytes -= book.body.byteLength;
  }

  /** @param {string[]} keys  Those that are neither in memory nor on the shelf now are told of. */
  #lost(keys) {
    const holdings = [];
    for (const key of keys) {
      if (this.#memory.has(key) || this.#shelf.has(key) || !this.#told.delete(key)) continue;
      const [image, version, kind] = key.split('/');
      holdings.push({ image, version, renditions: [/** @type {Kind} */ (kind)] });
    }
    this.#send('forgot', holdings);
  }

  /**
   * @param {'has' | 'forgot'} type
   * @param {Holding[]} holdings
   */
  #send(type, holdings) {
    for (let at = 0; at < holdings.length; at += Holdings.#most) {
      this.#tell({ type, images: holdings.slice(at, at + Holdings.#most) });
    }
  }
}

/**
 * @param {string} image
 * @param {string} version
 * @param {Kind} kind
 */
function keyOf(image, version, kind) {
  return `${image}/${version}/${kind}`;
}
