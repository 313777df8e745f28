import { serverTables } from '../../catalog/server-tables.js';
import { bestStep } from '../../loading/sizes.js';

/**
 * @typedef {import('./message.js').Kind} Kind
 * @typedef {import('./tile-cache.js').CachedRendition} CachedRendition
 * @typedef {import('./tile-cache.js').TileCache} TileCache
 * @typedef {{image: string, version: string, renditions: Kind[]}} Holding
 */

const budget = 48 * 1_048_576;
/** The most renditions in memory, however small. */
const maximumRenditions = 10_000;
/** The most images in one message; the stream allows no more. */
const most = 500;

/**
 * The renditions that the page holds and that need not be sent again: the most recent in memory, the others in the tile
 * cache. Tracks which of them the server was told about, so that it can be told when they are gone.
 */
export class Holdings {
  /**
   * Least recently used first.
   * @type {Map<string, CachedRendition>}
   */
  #memory = new Map();
  #bytes = 0;
  #tileCache;
  /**
   * The renditions that the server believes to be held.
   * @type {Set<string>}
   */
  #announced = new Set();
  #post;

  /**
   * @param {(message: {type: 'has' | 'forgot', images: Holding[]}) => void} post
   * @param {(onEvicted: (keys: string[]) => void) => TileCache} makeTileCache
   */
  constructor(post, makeTileCache) {
    this.#post = post;
    this.#tileCache = makeTileCache((keys) => this.#lost(keys));
  }

  /** Settles once it is known what is held. */
  get ready() {
    return this.#tileCache.ready;
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  has(image, version, kind) {
    const key = keyOf(image, version, kind);
    return this.#memory.has(key) || this.#tileCache.has(key);
  }

  /**
   * The best rendition held, previews aside, for a slot that needs this one.
   * @param {string} image
   * @param {string} version
   * @param {Kind} needed
   */
  best(image, version, needed) {
    return bestStep(needed, (kind) => this.has(image, version, kind));
  }

  /**
   * The versions of all images of which something is held, by image; of several versions the most recently used.
   * @returns {Map<string, string>}
   */
  get versions() {
    const keys = [...this.#tileCache.keys, ...this.#memory.keys()].map((key) => key.split('/'));
    return new Map(keys.map(([image, version]) => [image, version]));
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   * @returns {Promise<CachedRendition | null>}
   */
  async get(image, version, kind) {
    const key = keyOf(image, version, kind);
    const cached = this.#memory.get(key) ?? (await this.#tileCache.get(key));
    if (cached) this.#remember(cached);
    else this.#lost([key]);
    return cached;
  }

  /**
   * Stores a rendition that the server sent, and so knows to be held.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   * @param {string} type  A media type.
   * @param {ArrayBuffer} body
   * @param {boolean} [isIncomplete]  The file is truncated.
   */
  put(image, version, kind, type, body, isIncomplete = false) {
    const cached = { key: keyOf(image, version, kind), type, body, isIncomplete };
    this.#announced.add(cached.key);
    this.#remember(cached);
    this.#tileCache.put(cached);
  }

  /**
   * The browser could not decode it.
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  remove(image, version, kind) {
    const key = keyOf(image, version, kind);
    this.#drop(key);
    this.#tileCache.remove(key);
    this.#lost([key]);
  }

  /** Writes to the disk now: the page may be about to end. */
  flush() {
    this.#tileCache.flush();
  }

  /** A connection to another server, or to the same one with no memory of this page. */
  begin() {
    this.#announced.clear();
  }

  /**
   * Tells the server what is held of these images.
   * @param {{image: string, version: string}[]} images
   */
  announceHeld(images) {
    const holdings = [];
    for (const { image, version } of images) {
      const renditions = serverTables.sent.filter((kind) => kind && this.#isUnannounced(image, version, kind));
      for (const kind of renditions) this.#announced.add(keyOf(image, version, kind));
      if (renditions.length > 0) holdings.push({ image, version, renditions });
    }
    this.#send('has', holdings);
  }

  /**
   * @param {string} image
   * @param {string} version
   * @param {Kind} kind
   */
  #isUnannounced(image, version, kind) {
    return this.has(image, version, kind) && !this.#announced.has(keyOf(image, version, kind));
  }

  /** @param {CachedRendition} cached */
  #remember(cached) {
    this.#drop(cached.key);
    this.#memory.set(cached.key, cached);
    this.#bytes += cached.body.byteLength;
    const lost = [];
    for (const key of this.#memory.keys()) {
      const fits = this.#bytes <= budget && this.#memory.size <= maximumRenditions;
      if (fits || key === cached.key) break;
      this.#drop(key);
      if (!this.#tileCache.has(key)) lost.push(key);
    }
    if (lost.length > 0) this.#lost(lost);
  }

  /** @param {string} key */
  #drop(key) {
    const cached = this.#memory.get(key);
    if (!cached) return;
    this.#memory.delete(key);
    this.#bytes -= cached.body.byteLength;
  }

  /** @param {string[]} keys  The server is told of those that are in neither cache. */
  #lost(keys) {
    const holdings = [];
    for (const key of keys) {
      if (this.#memory.has(key) || this.#tileCache.has(key) || !this.#announced.delete(key)) continue;
      const [image, version, kind] = key.split('/');
      holdings.push({ image, version, renditions: [kind] });
    }
    this.#send('forgot', holdings);
  }

  /**
   * @param {'has' | 'forgot'} type
   * @param {Holding[]} holdings
   */
  #send(type, holdings) {
    for (let at = 0; at < holdings.length; at += most) {
      this.#post({ type, images: holdings.slice(at, at + most) });
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
