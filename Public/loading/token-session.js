import { Problem } from '../catalog/problem.js';

/**
 * @typedef {import('../catalog/server.js').TokenOrder} TokenOrder
 * @typedef {import('../catalog/server.js').Token} Token
 */

/**
 * Issues and cancels tokens in one session with the server. Requests are sent one at a time, and so are cancellations:
 * whatever accumulates while one is in flight travels with the next, so that the network sets the pace and a fling
 * costs a few requests instead of one per slot.
 */
export class TokenSession {
  #server;
  /** @type {string | null} */
  #session = null;
  /** @type {Set<string>} */
  #cancelled = new Set();
  #isCancelling = false;

  /** @param {import('../catalog/server.js').Server} server */
  constructor(server) {
    this.#server = server;
    addEventListener('pagehide', () => this.close());
  }

  /**
   * @param {TokenOrder} order
   * @returns {Promise<Token[]>}
   */
  async issue(order) {
    try {
      return await this.#issueIn(this.#session, order);
    } catch (problem) {
      // The server has forgotten the session (it restarted, or the page slept too long): start another.
      if (!(problem instanceof Problem && problem.isGone && this.#session)) throw problem;
      return await this.#issueIn(null, order);
    }
  }

  /**
   * @param {string | null} session
   * @param {TokenOrder} order
   */
  async #issueIn(session, order) {
    const answer = await this.#server.issueTokens(session, order);
    if (answer.session !== this.#session) {
      this.#session = answer.session;
      this.#cancelled.clear();
    }
    return answer.tokens;
  }

  /**
   * Cancels a token. Never aborts its request: over HTTP/1.1 that would cost the connection, while the server ends a
   * cancelled request with 204 and the connection survives.
   * @param {string} token
   */
  cancel(token) {
    this.#cancelled.add(token);
    if (!this.#isCancelling) this.#sendCancellations();
  }

  async #sendCancellations() {
    this.#isCancelling = true;
    // Cancelling one token is usually followed by cancelling its neighbours.
    await Promise.resolve();
    while (this.#cancelled.size > 0 && this.#session) {
      const tokens = [...this.#cancelled];
      this.#cancelled.clear();
      // A lost cancellation costs the server some work and the page nothing.
      await this.#server.cancelTokens(this.#session, tokens).catch(() => {});
    }
    this.#isCancelling = false;
  }

  /** Ends the session; the next request starts another. */
  close() {
    if (!this.#session) return;
    this.#server.endSession(this.#session);
    this.#session = null;
    this.#cancelled.clear();
  }
}
