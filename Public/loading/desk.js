import { Problem } from '../catalog/problem.js';

/**
 * @typedef {import('../catalog/server.js').TokenOrder} TokenOrder
 * @typedef {import('../catalog/server.js').Token} Token
 */

/**
 * Where tokens are handed out and handed back, in one session with the server. Orders go one at a time, and so do
 * cancellations: what piles up while one is under way travels with the next, so that the pace is the network's and a
 * fling costs a few requests, not one for each slot.
 */
export class TokenDesk {
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
      // The server has forgotten the session (it was restarted, or the page slept too long): begin another.
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
   * Hands a token back. Never aborts its request: over HTTP/1.1 that would cost the connection, while the server ends
   * a cancelled request with 204 and the connection lives on.
   * @param {string} token
   */
  cancel(token) {
    this.#cancelled.add(token);
    if (!this.#isCancelling) this.#sendCancellations();
  }

  async #sendCancellations() {
    this.#isCancelling = true;
    // Whoever cancels one token is most often about to cancel its neighbours.
    await Promise.resolve();
    while (this.#cancelled.size > 0 && this.#session) {
      const tokens = [...this.#cancelled];
      this.#cancelled.clear();
      // A cancellation that is lost costs the server some work and the page nothing.
      await this.#server.cancelTokens(this.#session, tokens).catch(() => {});
    }
    this.#isCancelling = false;
  }

  /** Ends the session; the next order begins another. */
  close() {
    if (!this.#session) return;
    this.#server.endSession(this.#session);
    this.#session = null;
    this.#cancelled.clear();
  }
}
