import { Problem } from '../catalog/problem.js';
import { Unreachable } from '../catalog/server.js';
import { byUrgency } from './slot.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('../catalog/server.js').Token} Token
 * @typedef {{slot: Slot, display: number, number: number, image: string}} Line
 */

const slotsPerRequest = 100;
/** The pause after a request without a response. Milliseconds. */
const retryDelay = 1_000;

/**
 * The slots that wait for a token. One request is in flight at a time; its contents are chosen only when it can be
 * sent, by the viewport at that time.
 */
export class TokenRequests {
  #session;
  #connection;
  #onToken;
  #onRefusal;
  /** @type {Set<Slot>} */
  #wanted = new Set();
  #isUnderWay = false;
  #isScheduled = false;
  #isHeld = false;
  #isPaused = false;

  /**
   * @param {import('./token-session.js').TokenSession} session
   * @param {import('../catalog/connection.js').Connection} connection
   * @param {(slot: Slot, token: Token, purpose: 'visible' | 'prefetch') => void} onToken
   * @param {(slot: Slot, problem: Problem) => void} onRefusal
   */
  constructor(session, connection, onToken, onRefusal) {
    this.#session = session;
    this.#connection = connection;
    this.#onToken = onToken;
    this.#onRefusal = onRefusal;
    connection.addEventListener('answered', () => this.#schedule());
  }

  /** @param {Slot} slot */
  add(slot) {
    slot.phase = 'wanted';
    this.#wanted.add(slot);
    this.#schedule();
  }

  /** @param {Slot} slot */
  remove(slot) {
    this.#wanted.delete(slot);
  }

  /**
   * While held, no tokens are requested: during a fling they would be for slots that are gone when the response
   * arrives.
   * @param {boolean} isHeld
   */
  hold(isHeld) {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld) this.#schedule();
  }

  /** Sends a request after the present change of the page is complete, so that related slots travel together. */
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (this.#mayGo() && this.#wanted.size > 0) this.#send();
    });
  }

  #mayGo() {
    return !this.#isUnderWay && !this.#isHeld && !this.#isPaused && !this.#connection.isDoubtful;
  }

  #pauseNow() {
    this.#isPaused = true;
    setTimeout(() => {
      this.#isPaused = false;
      this.#schedule();
    }, retryDelay);
  }

  async #send() {
    const slots = this.#next();
    const kind = kindOf(slots[0]);
    const lines = slots.map((slot) => this.#line(slot));
    this.#isUnderWay = true;
    try {
      const ordered = lines.map(({ number, image }) => ({ slot: number, image }));
      const tokens = await this.#session.issue({ ...kind, slots: ordered });
      this.#receive(lines, tokens, kind.purpose);
    } catch (problem) {
      this.#refuse(lines, /** @type {Problem} */ (problem));
    }
    this.#isUnderWay = false;
    this.#schedule();
  }

  /** The most urgent slot, and those that can travel with it. */
  #next() {
    const slots = [...this.#wanted].sort(byUrgency);
    const kind = kindOf(slots[0]);
    return slots.filter((slot) => isSame(kind, kindOf(slot))).slice(0, slotsPerRequest);
  }

  /**
   * @param {Slot} slot
   * @returns {Line}
   */
  #line(slot) {
    this.#wanted.delete(slot);
    return { slot, display: slot.display, number: slot.number, image: slot.image?.id ?? '' };
  }

  /**
   * @param {Line[]} lines
   * @param {Token[]} tokens
   * @param {'visible' | 'prefetch'} purpose
   */
  #receive(lines, tokens, purpose) {
    const byNumber = new Map(tokens.map((token) => [token.slot, token]));
    for (const { slot, display, number, image } of lines) {
      const token = byNumber.get(number);
      const isCurrent = slot.display === display;
      if (isCurrent && token?.image === image) this.#onToken(slot, token, purpose);
      else if (token) this.#session.cancel(token.token);
      else if (isCurrent) this.#onRefusal(slot, new Problem(404, 'No longer in the gallery'));
    }
  }

  /**
   * @param {Line[]} lines
   * @param {Problem} problem
   */
  #refuse(lines, problem) {
    if (problem instanceof Unreachable) this.#pauseNow();
    for (const { slot, display } of lines) {
      if (slot.display !== display) continue;
      if (problem instanceof Unreachable) this.#wanted.add(slot);
      else this.#onRefusal(slot, problem);
    }
  }
}

/**
 * What all slots of one request have in common.
 * @param {Slot} slot
 */
function kindOf(slot) {
  return { rendition: slot.rendition, purpose: slot.rank().purpose, retry: slot.bypassesNegativeCache };
}

/**
 * @param {ReturnType<typeof kindOf>} one
 * @param {ReturnType<typeof kindOf>} other
 */
function isSame(one, other) {
  return one.rendition === other.rendition && one.purpose === other.purpose && one.retry === other.retry;
}
