import { Problem } from './problem.js';
import { acceptedPictures } from './formats.js';
import { linksOf, versionIn } from './links.js';
import { copyMark } from '../offline/copy-mark.js';

/**
 * @typedef {import('./view.js').View} View
 * @typedef {{preview: string, tile: string, screen: string, original: string}} Links
 * @typedef {{id: string, name: string, title?: string, width?: number, height?: number, type?: string, bytes?: number,
 *   frames?: number, takenAt?: string, takenPrecision?: string, takenFrom?: string, placeholder?: string,
 *   incomplete?: boolean, links: Links}} GalleryImage  Unknown members are absent. `frames`: if there are several.
 *   `incomplete`: the file is truncated.
 * @typedef {{revision: number, total: number, offset: number, images: GalleryImage[]}} Page
 * @typedef {{slot: number, image: string, token: string, href: string}} Token
 * @typedef {{rendition: Rendition, purpose: 'visible' | 'prefetch', retry: boolean, slots: {slot: number, image:
 *   string}[]}} TokenOrder  The most urgent slot first. `retry`: bypasses the negative cache.
 * @typedef {{path: string, name: string, count: number, hasFolders: boolean, cover?: GalleryImage}} Folder  `count`:
 *   images in the folder and beneath it. `cover` is absent if none of them can represent it.
 * @typedef {{month: string | null, first: number, count: number}} Month  `2019-06`; null for images without a date.
 * @typedef {{revision: number, total: number, months: Month[]}} Timeline
 * @typedef {{revision: number, total: number, block: number, parts: number[], sums: number[]}} ShapeTold  `sums`: for
 *   each block, the sum of its images' aspect ratios; a new block starts at each of `parts`.
 * @typedef {{count: number, kinds: {kind: string, title: string, count: number}[]}} NotShown  The most frequent kind
 *   first.
 * @typedef {{revision: number, total: number, scanning: boolean, defaultView?: string,
 *   examined?: {done: number, total: number}, notShown: NotShown,
 *   problems?: {count: number, first: string[]}}} Status  `scanning`: files are being listed.
 *   `defaultView`: the query of the view in which the page opens. `examined` is absent if files are not indexed.
 * @typedef {string} Rendition  `preview`, the name of one of the server's steps, `full` or `original`.
 */

/** The longest that a response may take. Milliseconds. */
export const responseTimeout = 20_000;

/**
 * The JSON API of the gallery, version 1. Every method throws a `Problem`, or `Unreachable` if there was no response.
 */
export class Server {
  #connection;
  /**
   * The present ids of images that were renamed, by their former ones.
   * @type {Map<string, string>}
   */
  #renamed = new Map();

  /** @param {import('./connection.js').Connection} connection */
  constructor(connection) {
    this.#connection = connection;
  }

  /**
   * @param {View} view
   * @param {number} offset
   * @param {number} limit  1 to 500.
   * @returns {Promise<Page>}
   */
  async page(view, offset, limit) {
    const page = await this.#ask(inView(`api/v1/images?offset=${offset}&limit=${limit}`, view));
    page.images.forEach(makeLinksRelative);
    return page;
  }

  /**
   * The present id of an image that was renamed, if its position was asked for since; otherwise the id itself.
   * @param {string} id
   */
  presentID(id) {
    return this.#renamed.get(id) ?? id;
  }

  /**
   * The position of an image in a view, also if it was renamed lately; see `presentID`.
   * @param {View} view
   * @param {string} id
   * @returns {Promise<number | undefined>}  Undefined if it is not (or no longer) there.
   */
  async position(view, id) {
    try {
      const { index, image } = await this.#ask(inView(`api/v1/position?image=${encodeURIComponent(id)}`, view));
      if (image) this.#renamed.set(id, image);
      return index;
    } catch (problem) {
      if (!(problem instanceof Problem && problem.isGone)) throw problem;
      return undefined;
    }
  }

  /**
   * The folders in a folder.
   * @param {string} parent  Its path; empty for the gallery.
   * @returns {Promise<Folder[]>}
   */
  async folders(parent) {
    const { folders } = await this.#ask(`api/v1/folders?parent=${encodeURIComponent(parent)}`);
    for (const { cover } of folders) if (cover) makeLinksRelative(cover);
    return folders;
  }

  /**
   * The months of a view that is sorted by date.
   * @param {View} view
   * @returns {Promise<Timeline>}
   */
  timeline(view) {
    return this.#ask(`api/v1/timeline?${view.text}`);
  }

  /**
   * The shape of a view.
   * @param {View} view
   * @returns {Promise<ShapeTold>}
   */
  shape(view) {
    return this.#ask(`api/v1/shape?${view.text}`);
  }

  /**
   * The aspect ratios of a view's images, one byte each.
   * @param {View} view
   * @param {number} first
   * @param {number} count  1 to 16,384.
   * @returns {Promise<{revision: number, bytes: Uint8Array}>}
   */
  async ratios(view, first, count) {
    const response = await this.#request(inView(`api/v1/shape?first=${first}&count=${count}`, view));
    const bytes = await this.#read(() => response.arrayBuffer());
    return { revision: Number(response.headers.get('Tessera-Revision')), bytes: new Uint8Array(bytes) };
  }

  /**
   * The state of the server.
   * @returns {Promise<Status>}
   */
  status() {
    return this.#ask('api/v1/status');
  }

  /**
   * One image with all its metadata.
   * @param {string} id
   * @returns {Promise<GalleryImage & Record<string, any>>}
   */
  async image(id) {
    return makeLinksRelative(await this.#ask(`api/v1/images/${encodeURIComponent(id)}`));
  }

  /**
   * @param {string | null} session
   * @param {TokenOrder} order
   * @returns {Promise<{session: string, tokens: Token[]}>}
   */
  async issueTokens(session, order) {
    // Issuing a token starts the work at once, so the server must learn the acceptable formats here.
    const accept = `application/json, ${await acceptedPictures}`;
    const issued = await this.#ask('api/v1/tokens', { ...order, session: session ?? undefined }, accept);
    for (const token of issued.tokens) token.href = token.href.slice(token.href.lastIndexOf('images/'));
    return issued;
  }

  /**
   * @param {string} session
   * @param {string[]} tokens
   */
  cancelTokens(session, tokens) {
    return this.#ask('api/v1/tokens/cancel', { session, tokens });
  }

  /**
   * Ends a session with all its tokens. Works while the page is being closed.
   * @param {string} session
   */
  endSession(session) {
    const body = new Blob([JSON.stringify({ session })], { type: 'application/json' });
    navigator.sendBeacon('api/v1/tokens/cancel', body);
  }

  /**
   * @param {string} path
   * @param {object} [body]  Sent by POST; without it the request is a GET.
   * @param {string} [accept]
   */
  async #ask(path, body, accept = 'application/json') {
    const response = await this.#request(path, body, accept);
    return this.#read(() => response.json());
  }

  /**
   * @param {string} path
   * @param {object} [body]
   * @param {string} [accept]
   */
  async #request(path, body, accept = '*/*') {
    const response = await this.#reach(path, {
      method: body ? 'POST' : 'GET',
      headers: { Accept: accept, ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
      priority: 'high',
      signal: /** @type {AbortSignalConstructor} */ (AbortSignal).timeout(responseTimeout),
    });
    // The list itself is missing only if the link of a share is no longer valid.
    if (response.status === 401 || (response.status === 404 && path.startsWith('api/v1/images?'))) {
      location.replace(`account.html#from=${location.search}${location.hash}`);
    }
    if (!response.ok) throw await Problem.from(response);
    // The service worker answered in place of the server.
    if (response.headers.has(copyMark)) this.#connection.suspect();
    return response;
  }

  /**
   * @param {string} path
   * @param {RequestInit} options
   */
  async #reach(path, options) {
    try {
      const response = (options.body ? undefined : await askedAhead(path)) ?? (await fetch(path, options));
      // A proxy returned an error because the server is down.
      if (response.status > 501 && !response.headers.get('Content-Type')?.includes('problem')) throw response;
      return response;
    } catch {
      this.#connection.suspect();
      throw new Unreachable();
    }
  }

  /**
   * @template T
   * @param {() => Promise<T>} read
   */
  async #read(read) {
    try {
      return await read();
    } catch {
      this.#connection.suspect();
      throw new Unreachable();
    }
  }
}

/**
 * The response to a request that the page sent before its script had loaded, once; undefined if there was none or it
 * failed.
 * @param {string} path
 * @returns {Promise<Response | undefined>}
 */
async function askedAhead(path) {
  const { ahead } = globalThis;
  const answer = ahead?.get(path);
  ahead?.delete(path);
  return answer?.catch(() => undefined);
}

/**
 * Makes an image's links relative to the page, like all other URLs.
 * @template {GalleryImage} Image
 * @param {Image} image
 */
function makeLinksRelative(image) {
  image.links = linksOf(image.id, versionIn(image.links.tile));
  return image;
}

/**
 * @param {string} path  With a query.
 * @param {View} view
 */
function inView(path, view) {
  return view.isPlain ? path : `${path}&${view.text}`;
}

/** There was no response, or it broke off. */
export class Unreachable extends Problem {
  constructor() {
    super(0, 'The gallery server is not responding');
    this.name = 'Unreachable';
  }
}
