/**
 * What is asked of the catalog: search, folder, sort. A value with one canonical text, the same in the address of the
 * page, in those of the API and in the messages of the stream. The plain view, the sources' own order, has no text.
 */
export class View {
  /** What can be sorted by; the first is the sources' own order, and goes without saying. */
  static sorts = ['path', 'taken', 'name', 'size', 'added', 'shuffle'];

  /**
   * @param {{q?: string, folder?: string, sort?: string, direction?: string, seed?: number}} [wished]  What is not
   *   understood is left out.
   */
  constructor({ q = '', folder = '', sort = 'path', direction = 'asc', seed = 0 } = {}) {
    /** Words and filters, as they are typed. */
    this.q = whole(q).trim();
    /** A folder's path within the gallery; empty for all of it. */
    this.folder = whole(folder);
    this.sort = View.sorts.includes(sort) ? sort : 'path';
    const isShuffled = this.sort === 'shuffle';
    this.direction = direction === 'desc' && !isShuffled ? 'desc' : 'asc';
    /** Another seed is another shuffle. */
    this.seed = isShuffled && Number.isSafeInteger(seed) && seed > 0 ? seed : 0;
    /** The canonical text: a query string without its question mark. */
    this.text = this.#write();
    Object.freeze(this);
  }

  /**
   * @param {string | undefined} text  With or without a question mark; parameters that are not a view's do not count.
   */
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

  /** Whether it shows less than the whole gallery. */
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
    const { q, folder, sort, direction, seed } = this;
    const parameters = [];
    if (q) parameters.push(['q', q]);
    if (folder) parameters.push(['folder', folder]);
    if (sort !== 'path') parameters.push(['sort', sort]);
    if (direction === 'desc') parameters.push(['direction', direction]);
    if (sort === 'shuffle') parameters.push(['seed', String(seed)]);
    return parameters.map(([name, value]) => `${name}=${encode(value)}`).join('&');
  }
}

/**
 * Half a character is none.
 * @param {string} text
 */
function whole(text) {
  return text.toWellFormed?.() ?? text;
}

/**
 * As the server writes it (RFC 3986 §3.4): what reads well in an address stays as it is.
 * @param {string} text
 */
function encode(text) {
  const hex = (/** @type {string} */ letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!*'()]/g, hex).replace(/%(2F|3A|2C)/g, decodeURIComponent);
}
