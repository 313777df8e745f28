import { Problem } from '../catalog/problem.js';

/**
 * @typedef {{kind: 'picture', token: string, blob: Blob, isIncomplete: boolean}
 *   | {kind: 'problem', token: string, problem: Problem}
 *   | {kind: 'dropped', token: string}
 *   | {kind: 'broken', token: string}} Answer  `token` is the one that the answer bears. `isIncomplete`: the file ends
 *   before its picture does. `dropped`: the server had been told that nobody wants it. `broken`: no answer, or one that
 *   broke off.
 */

/** One request for one picture by its token. */
export class PictureRequest {
  /** Longer than the server waits for its origins as a rule; only a server that hangs itself gets this far. */
  static #timeout = 150_000;
  /** A cancelled request is left to the server to end; one that it does not end is given up after this. */
  static #grace = 5_000;

  #abort = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #href;
  #token;

  /**
   * @param {string} href
   * @param {string} token
   */
  constructor(href, token) {
    this.#href = href;
    this.#token = token;
  }

  /** @returns {Promise<Answer>} */
  async send() {
    this.#abortAfter(PictureRequest.#timeout);
    try {
      return await this.#exchange();
    } catch {
      return { kind: 'broken', token: this.#token };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** The token was handed back while the request was under way. */
  expectDropped() {
    this.#abortAfter(PictureRequest.#grace);
  }

  /** @param {number} milliseconds */
  #abortAfter(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(), milliseconds);
  }

  /** @returns {Promise<Answer>} */
  async #exchange() {
    // A token's URL is used once: a browser's cache has no use for what comes by it.
    const response = await fetch(this.#href, { cache: 'no-store', signal: this.#abort.signal });
    const token = bornToken(response) ?? this.#token;
    if (response.status === 204) return { kind: 'dropped', token };
    if (!response.ok) return { kind: 'problem', token, problem: await Problem.from(response) };
    const isIncomplete = response.headers.get('Tessera-Incomplete') === '1';
    return { kind: 'picture', token, blob: await response.blob(), isIncomplete };
  }
}

/**
 * The token that an answer bears, read from the answer itself rather than from what was asked for.
 * @param {Response} response
 */
function bornToken(response) {
  return new URL(response.url).searchParams.get('token');
}
