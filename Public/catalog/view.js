import { serverTables } from './server-tables.js';

/**
 * A request to the catalog: search, folder and sort order. A value with one canonical text, the same in the page's
 * address, in the API and in messages of the stream. The default view, all images in the sources' own order, has an
 * empty text.
 */
export class View {
  /**
   * @param {{q?: string, folder?: string, sort?: string, direction?: string, seed?: number}} wished  Invalid members
   *   are ignored.
   */
  constructor({ q = '', folder = '', sort = '', direction = 'asc', seed = 0 } = {}) {
    /** Words and filters, as typed. */
    this.q = whole(q).trim();
    /** The path of a folder in the gallery; empty for the whole gallery. */
    this.folder = whole(folder);
    const { sorts } = serverTables;
    /** What distinguishes the sort order from others. */
    this.order = sorts.find(({ name }) => name === sort) ?? sorts[0];
    this.sort = this.order.name;
    const { isRandom } = this.order;
    this.direction = direction === 'desc' && !isRandom ? 'desc' : 'asc';
    /** Another seed is another shuffle. */
    this.seed = isRandom && Number.isSafeInteger(seed) && seed > 0 ? seed : 0;
    /** The canonical text: a query string without its question mark. */
    this.text = this.#write();
    Object.freeze(this);
  }

  /** @param {string | undefined} text  With or without a question mark; other parameters are ignored. */
  static read(text) {
    const given = new URLSearchParams(text);
    const word = (/** @type {string} */ name) => given.get(name) ?? undefined;
    return new View({
      q: word('q'), folder: word('folder'), sort: word('sort'), direction: word('direction'), seed: Number(word('seed')),
    });
  }

  get isPlain() {
    return this.text === '';
  }

  /** Whether it contains less than the whole gallery. */
  get isNarrowed() {
    return this.q !== '' || this.folder !== '';
  }

  /** @param {{q?: string, folder?: string, sort?: string, direction?: string, seed?: number}} changes */
  with(changes) {
    return new View({ ...this, ...changes });
  }

  /** @param {View} other */
  equals(other) {
    return this.text === other.text;
  }

  #write() {
    const { q, folder, order, sort, direction, seed } = this;
    const parameters = [];
    if (q) parameters.push(['q', q]);
    if (folder) parameters.push(['folder', folder]);
    if (order !== serverTables.sorts[0]) parameters.push(['sort', sort]);
    if (direction === 'desc') parameters.push(['direction', direction]);
    if (order.isRandom) parameters.push(['seed', String(seed)]);
    return parameters.map(([name, value]) => `${name}=${encode(value)}`).join('&');
  }
}

/**
 * Replaces lone surrogates.
 * @param {string} text
 */
function whole(text) {
  return text.toWellFormed?.() ?? text;
}

/**
 * Encodes as the server does (RFC 3986 §3.4): characters that are readable in an address stay as they are.
 * @param {string} text
 */
function encode(text) {
  const hex = (/** @type {string} */ letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!*'()]/g, hex).replace(/%(2F|3A|2C)/g, decodeURIComponent);
}
