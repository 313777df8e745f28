import { Problem } from '../catalog/problem.js';

/**
 * @typedef {{kind: 'picture', token: string, blob: Blob, isIncomplete: boolean} | {kind: 'problem', token: string,
 *   problem: Problem} | {kind: 'dropped', token: string} | {kind: 'broken', token: string}} Answer  `token` is the one
 *   in the response. `isIncomplete`: the file is truncated. `dropped`: the token had been cancelled. `broken`: there
 *   was no response, or it broke off.
 */

/** Longer than the server normally waits for its origins; only a hung server takes this long. Milliseconds. */
const timeout = 150_000;
/** The server ends a cancelled request itself; one that it does not end is aborted after this. Milliseconds. */
const grace = 5_000;

/** One request for one rendition by its token. */
export class PictureRequest {
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
    this.#abortAfter(timeout);
    try {
      return await this.#exchange();
    } catch {
      return { kind: 'broken', token: this.#token };
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** The token was cancelled while the request was in flight. */
  expectDropped() {
    this.#abortAfter(grace);
  }

  /** @param {number} milliseconds */
  #abortAfter(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abort.abort(), milliseconds);
  }

  /** @returns {Promise<Answer>} */
  async #exchange() {
    // A token's URL is used once, so the browser's HTTP cache is of no use.
    const response = await fetch(this.#href, { cache: 'no-store', signal: this.#abort.signal });
    const token = tokenOf(response) ?? this.#token;
    if (response.status === 204) return { kind: 'dropped', token };
    if (!response.ok) return { kind: 'problem', token, problem: await Problem.from(response) };
    const isIncomplete = response.headers.get('Tessera-Incomplete') === '1';
    return { kind: 'picture', token, blob: await response.blob(), isIncomplete };
  }
}

/**
 * The token that a response belongs to, read from the response itself and not from the request.
 * @param {Response} response
 */
function tokenOf(response) {
  return new URL(response.url).searchParams.get('token');
}
