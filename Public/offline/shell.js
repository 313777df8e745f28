import { basePath, cacheName } from './cache-names.js';
import { SerialQueue } from './serial-queue.js';

const pagePath = './';
/**
 * How long to wait for the network if the page is stored. Over a slow link the stored page opens at once, and the
 * server's newer page is used on the next visit. Milliseconds.
 */
const visitTimeout = 100;
/** The same when the user reloads the page, to see what is new. */
const reloadTimeout = 5_000;

/**
 * The page itself, stored: its markup, and the scripts it refers to by content hash. It is used as a whole or not at
 * all: the markup is stored only once all its scripts are.
 */
export class Shell {
  static get cache() {
    return cacheName('shell');
  }

  #caches;
  #fetch;
  /** Pages are stored one after the other. */
  #keeping = new SerialQueue();

  /**
   * @param {Pick<CacheStorage, 'open'>} storage
   * @param {typeof fetch} fetcher
   */
  constructor(storage, fetcher) {
    this.#caches = storage;
    this.#fetch = (/** @type {RequestInfo} */ request, /** @type {RequestInit} */ how = {}) => fetcher(request, how);
  }

  /** @param {URL} url */
  static isPart(url) {
    return url.pathname.startsWith(`${basePath()}assets/`);
  }

  /**
   * The page from the server, or the stored one if the server is slow or absent.
   * @param {Promise<Response | undefined> | undefined} preload  The response, if the browser has already sent the
   *   request.
   * @param {Request} request
   * @param {(work: Promise<unknown>) => void} later
   */
  async open(preload, request, later) {
    const answer = this.#ask(preload, request);
    later(answer.then((page) => page && this.#keep(page.clone())));
    const kept = this.#kept().catch(() => undefined);
    const isReload = request.cache === 'no-cache' || request.cache === 'reload';
    const time = isReload ? reloadTimeout : visitTimeout;
    const first = await Promise.race([answer, patience(time, kept)]);
    return first?.ok ? first : (await kept) ?? (await answer) ?? Response.error();
  }

  /**
   * A script addressed by its content: the stored one is always the right one.
   * @param {Request} request
   */
  async part(request) {
    const cache = await this.#caches.open(Shell.cache);
    return (await cache.match(request.url, { ignoreVary: true })) ?? this.#fetch(request);
  }

  /** Stores the page as the server has it now. */
  async renew() {
    await this.#keep(await this.#fetch(pagePath, { cache: 'no-cache' }));
  }

  /**
   * @param {Promise<Response | undefined> | undefined} preload
   * @param {Request} request
   * @returns {Promise<Response | undefined>}  Undefined where nobody answers.
   */
  async #ask(preload, request) {
    try {
      return (await preload) ?? (await this.#fetch(request));
    } catch {
      return undefined;
    }
  }

  async #kept() {
    const cache = await this.#caches.open(Shell.cache);
    return cache.match(pagePath, { ignoreVary: true });
  }

  /** @param {Response} page */
  #keep(page) {
    return this.#keeping.run(() => this.#keepNow(page));
  }

  /** @param {Response} page */
  async #keepNow(page) {
    if (!page.ok || page.redirected) throw new Error('Not the page');
    const cache = await this.#caches.open(Shell.cache);
    const kept = await this.#kept();
    const tag = page.headers.get('ETag');
    if (tag && tag === kept?.headers.get('ETag')) return;
    const text = await page.clone().text();
    const parts = partsOf(text);
    // The stored page may just have been opened, and loads some of its scripts later.
    const former = partsOf((await kept?.text()) ?? '');
    await Promise.all(parts.map((part) => this.#keepPart(cache, part)));
    await cache.put(pagePath, page);
    const wanted = [pagePath, ...parts, ...former].map((path) => new URL(path, location.href).href);
    for (const { url } of await cache.keys()) if (!wanted.includes(url)) await cache.delete(url);
  }

  /**
   * @param {Cache} cache
   * @param {string} part
   */
  async #keepPart(cache, part) {
    if (await cache.match(part, { ignoreVary: true })) return;
    const answer = await this.#fetch(part);
    if (!answer.ok) throw new Error(`${part} cannot be had`);
    await cache.put(part, answer);
  }
}

/**
 * The scripts to which a page refers.
 * @param {string} text
 */
function partsOf(text) {
  return [...new Set(text.match(/assets\/[^"]+/g))];
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {Promise<T | undefined>} value  If it is undefined, the promise never settles.
 * @returns {Promise<T>}
 */
async function patience(milliseconds, value) {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return (await value) ?? new Promise(() => {});
}
