import { basePath, catalogCache } from './cache-names.js';
import { copyMark } from './copy-mark.js';
import { SerialQueue } from './serial-queue.js';

/** The parameters that tell the requests of one view apart. */
const within = ['offset', 'limit', 'cursor', 'image', 'first', 'count', 'parent'];

/** The most responses to keep; a page of 100 images takes about 40 KB. */
const mostResponses = 120;
/** The largest response to keep. Bytes. */
const largestResponse = 500_000;
const keptPaths = /^api\/v1\/(images|images\/[^/]+|timeline|folders|position|shape)$/;

/**
 * The responses of the catalog that were read last, for use while the server cannot be reached. Bounded in number and
 * size; the oldest are evicted first. Of each view only one revision is kept, so that pages of two orders are never
 * mixed.
 */
export class CatalogCopies {
  static get cache() {
    return catalogCache();
  }

  #caches;
  #fetch;
  /** Responses are stored one after the other. */
  #keeping = new SerialQueue();

  /**
   * @param {Pick<CacheStorage, 'open'>} storage
   * @param {typeof fetch} fetcher
   */
  constructor(storage, fetcher) {
    this.#caches = storage;
    this.#fetch = (/** @type {RequestInfo | URL} */ request) => fetcher(request);
  }

  /** @param {URL} url */
  static keeps(url) {
    return keptPaths.test(localPath(url)) && !url.searchParams.has('token');
  }

  /**
   * @param {Request} request
   * @param {(work: Promise<unknown>) => void} later
   * @returns {Promise<Response>}
   */
  async answer(request, later) {
    let answer;
    try {
      answer = await this.#fetch(request);
    } catch (error) {
      const copy = await this.#copy(request.url);
      if (!copy) throw error;
      return copy;
    }
    if (answer.ok) later(this.#keep(new URL(request.url), answer.clone()));
    // A proxy answers in place of a server that is gone.
    const isGone = [502, 503, 504].includes(answer.status);
    return (isGone && (await this.#copy(request.url))) || answer;
  }

  /** @param {URL[]} urls */
  async take(urls) {
    for (const url of urls.filter(CatalogCopies.keeps).slice(-mostResponses)) {
      const answer = await this.#fetch(url);
      if (answer.ok) await this.#keep(url, answer);
    }
  }

  /** @param {string} url */
  async #copy(url) {
    const cache = await this.#caches.open(CatalogCopies.cache);
    return cache.match(url, { ignoreVary: true });
  }

  /**
   * @param {URL} url
   * @param {Response} answer
   */
  #keep(url, answer) {
    return this.#keeping.run(() => this.#keepNow(url, answer));
  }

  /**
   * @param {URL} url
   * @param {Response} answer
   */
  async #keepNow(url, answer) {
    const body = await answer.blob();
    if (body.size > largestResponse) return;
    const type = answer.headers.get('Content-Type') ?? '';
    const revision = answer.headers.get('Tessera-Revision') ?? undefined;
    const state = type.startsWith('application/json') ? JSON.parse(await body.text()) : { revision };
    const headers = { 'Content-Type': type, [copyMark]: '1', ...(revision && { 'Tessera-Revision': revision }) };
    const cache = await this.#caches.open(CatalogCopies.cache);
    if (state.revision !== undefined) await this.#forgetOthers(cache, viewOf(url), state);
    // Reinserting makes it the last key.
    await cache.delete(url.href);
    await cache.put(url.href, new Response(body, { headers }));
    const keys = await cache.keys();
    for (const key of keys.slice(0, Math.max(0, keys.length - mostResponses))) await cache.delete(key);
  }

  /**
   * @param {Cache} cache
   * @param {string} view
   * @param {{revision: number | string, total?: number}} state  Most responses contain the total: a different one means
   *   another gallery at this address.
   */
  async #forgetOthers(cache, view, { revision, total }) {
    const kept = await cache.match(markOf(view));
    const [keptRevision, keptTotal] = kept ? (await kept.text()).split(' ') : [];
    if (keptRevision === String(revision) && (total === undefined || keptTotal === String(total))) return;
    for (const { url } of await cache.keys()) {
      if (viewOf(new URL(url)) === view) await cache.delete(url);
    }
    await cache.put(markOf(view), new Response(`${revision} ${total ?? ''}`));
  }
}

/** @param {string} view */
function markOf(view) {
  return `offline/revision?${view}`;
}

/**
 * The path of an address under that of this gallery; empty if it is not there.
 * @param {URL} url
 */
function localPath({ pathname }) {
  return pathname.startsWith(basePath()) ? pathname.slice(basePath().length) : '';
}

/** @param {URL} url */
function viewOf(url) {
  const parameters = new URLSearchParams(url.search);
  for (const name of within) parameters.delete(name);
  parameters.sort();
  return parameters.toString();
}
