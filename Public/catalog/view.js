/**
 * What is asked of the catalog: search, folder, sort. A value with one canonical text, the same in the address of the
 * page, in those of the API and in the messages of the stream. The plain view, the sources' own order, has no text.
 */
export class View {
  /** What can be sorted by; the first is the sources' own order, and is said only where it is turned round. */
  static sorts = ['path', 'taken', 'name', 'size', 'added', 'shuffle'];
  static #mostSeed = 0xffff_ffff;

  /**
   * @param {{q?: string, folder?: string, sort?: string, direction?: string, seed?: number}} [wished]  What is not
   *   understood is left out.
   */
  constructor({ q = '', folder = '', sort = 'path', direction = 'asc', seed = 0 } = {}) {
    /** Words and filters, as they are typed. */
    this.q = q.trim();
    /** A folder's path within the gallery; empty for all of it. */
    this.folder = folder;
    this.sort = View.sorts.includes(sort) ? sort : 'path';
    const isShuffled = this.sort === 'shuffle';
    this.direction = direction === 'desc' && !isShuffled ? 'desc' : 'asc';
    /** Another seed is another shuffle. */
    this.seed = isShuffled && Number.isInteger(seed) && seed > 0 && seed <= View.#mostSeed ? seed : 0;
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
    const parameters = new URLSearchParams();
    if (this.q) parameters.set('q', this.q);
    if (this.folder) parameters.set('folder', this.folder);
    if (this.sort !== 'path' || this.direction === 'desc') parameters.set('sort', this.sort);
    if (this.direction === 'desc') parameters.set('direction', 'desc');
    if (this.seed) parameters.set('seed', String(this.seed));
    // A plus is a space to forms alone.
    return parameters.toString().replaceAll('+', '%20');
  }
}
