import { linkTo } from '../catalog/links.js';
import { Problem } from '../catalog/problem.js';
import { commit } from './commit.js';
import { decode } from './decode.js';
import { TokenRequests } from './token-requests.js';
import { isWorthWaiting, mostAttempts, waitFor } from './retry-policy.js';
import { PictureRequest } from './request.js';
import { bestStep, pixelsOf } from './sizes.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {import('./request-limit.js').Job} Job
 * @typedef {import('./request.js').Answer} Answer
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 */

let shownFromCache = 0;

/**
 * Loads pictures into slots by token requests: it gets a token, waits for a request permit, and passes the result
 * through `commit`. The server starts its work when it issues the token, so waiting for a permit loses no time.
 */
export class TokenLoader {
  #session;
  #limit;
  #cache;
  #connection;
  #tokenRequests;
  /** @type {WeakMap<Slot, {job: Job, request: PictureRequest}>} */
  #inFlight = new WeakMap();

  /**
   * @param {{session: import('./token-session.js').TokenSession, limit: import('./request-limit.js').RequestLimit,
   *   cache: import('./cache.js').PictureCache, connection: import('../catalog/connection.js').Connection}} parts
   */
  constructor({ session, limit, cache, connection }) {
    this.#session = session;
    this.#limit = limit;
    this.#cache = cache;
    this.#connection = connection;
    this.#tokenRequests = new TokenRequests(
      session,
      connection,
      (slot, token, purpose) => this.#enqueue(slot, token, purpose),
      (slot, problem) => this.#refused(slot, problem),
    );
  }

  /**
   * Loads the slot's picture and displays it there, unless the slot moves on before.
   * @param {Slot} slot  At the start of a display.
   */
  request(slot) {
    // Without an image there is nothing to request yet.
    if (slot.phase !== 'idle' || !slot.image) return;
    const known = this.#cache.get(slot.key);
    if (known) this.#showKnown(slot, slot.rendition, known);
    else if (slot.takesLess) this.#showLess(slot);
    else this.#tokenRequests.add(slot);
  }

  /**
   * Displays a smaller rendition from the cache until the one needed has loaded.
   * @param {Slot} slot
   */
  async #showLess(slot) {
    const { image, display } = slot;
    const less = image && bestStep(slot.rendition, (name) => this.#cache.get(linkTo(image, name)) !== undefined);
    const known = less && this.#cache.get(linkTo(image, less));
    const isEnough = less && pixelsOf(less) >= pixelsOf(slot.rendition);
    if (isEnough) slot.rendition = less;
    if (known) await this.#showKnown(slot, less, known);
    if (slot.display !== display || (isEnough && slot.phase === 'displayed')) return;
    slot.token = null;
    this.#tokenRequests.add(slot);
  }

  /** @param {Slot} _slot  One that displays something, whichever loader loaded it. */
  adopt(_slot) {}

  /** @param {Slot} _slot  It is served by another loader from now on, and keeps what it displays. */
  leave(_slot) {}

  /**
   * @param {Slot} slot
   * @param {number} number
   */
  renumber(slot, number) {
    slot.number = number;
  }

  /**
   * The slot's display is over: cancel its token, at whatever stage it is.
   * @param {Slot} slot
   */
  release(slot) {
    const { token, phase } = slot;
    this.#tokenRequests.remove(slot);
    slot.begin(-1, null);
    if (token && (phase === 'wanted' || phase === 'waiting' || phase === 'loading')) this.#handBack(slot, token);
  }

  /**
   * Starts again after a failure.
   * @param {Slot} slot
   */
  retry(slot) {
    slot.begin(slot.number, slot.image);
    slot.bypassesNegativeCache = true;
    this.request(slot);
  }

  /** @param {boolean} isHeld  While true no tokens are requested. */
  hold(isHeld) {
    this.#tokenRequests.hold(isHeld);
  }

  /** The viewport has changed, and with it the ranks of the slots. */
  reorder() {
    this.#limit.fill();
    // The server treats prefetches as less urgent; a new token corrects that, and ends the old one.
    for (const job of this.#limit.overtaken()) {
      if (!this.#inFlight.has(job.slot)) continue;
      this.#limit.withdraw(job);
      this.#tokenRequests.add(job.slot);
    }
  }

  /**
   * @param {Slot} slot
   * @param {import('../catalog/server.js').Token} token
   * @param {'visible' | 'prefetch'} purpose
   */
  #enqueue(slot, { token, href }, purpose) {
    slot.token = token;
    slot.phase = 'waiting';
    const request = new PictureRequest(href, token);
    /** @type {Job} */
    const job = {
      slot,
      token,
      purpose,
      key: slot.key,
      rendition: slot.rendition,
      display: slot.display,
      send: () => this.#send(job, request),
      giveWay: () => this.#giveWay(job, request),
    };
    this.#inFlight.set(slot, { job, request });
    this.#limit.add(job);
  }

  /**
   * @param {Job} job
   * @param {PictureRequest} request
   */
  async #send(job, request) {
    if (isCurrent(job)) job.slot.phase = 'loading';
    const answer = await request.send();
    // The permit is free now; decoding and displaying do not need it.
    this.#answered(job, answer);
  }

  /**
   * @param {Job} job
   * @param {Answer} answer
   */
  #answered(job, answer) {
    switch (answer.kind) {
      case 'picture':
        this.#arrived({ ...job, token: answer.token }, this.#cache.put(job.key, answer.blob, answer.isIncomplete));
        break;
      case 'problem':
        if (!this.#triesAgain(job, answer.problem)) commit(job.slot, answer.token, { problem: answer.problem });
        break;
      case 'dropped':
        // Usually this page cancelled the token; if not, the server has ended the session meanwhile.
        this.#missed(job, answer.token, new Problem(0, 'The picture was not received'));
        break;
      case 'broken':
        if (isCurrent(job)) this.#connection.suspect();
        this.#missed(job, answer.token, new Problem(0, 'The connection was lost'));
        break;
    }
  }

  /**
   * @param {Job} job  With the token in the response.
   * @param {Picture} picture
   */
  async #arrived(job, picture) {
    if (isCurrent(job)) job.slot.phase = 'decoding';
    await this.#decodeAndCommit(job.slot, job, picture);
  }

  /**
   * @param {Slot} slot
   * @param {Rendition} rendition
   * @param {Picture} picture
   */
  #showKnown(slot, rendition, picture) {
    // No response carries this picture, so the page makes up a token.
    slot.token = `cached ${(shownFromCache += 1)}`;
    slot.phase = 'decoding';
    const key = slot.image ? linkTo(slot.image, rendition) : '';
    return this.#decodeAndCommit(slot, { token: slot.token, key, rendition }, picture);
  }

  /**
   * @param {Slot} slot
   * @param {Pick<Job, 'token' | 'key' | 'rendition'>} what
   * @param {Picture} picture
   */
  async #decodeAndCommit(slot, { token, key, rendition }, picture) {
    const isAll = rendition === slot.rendition;
    let element;
    try {
      element = await decode(picture);
    } catch {
      this.#cache.remove(key);
      if (isAll) commit(slot, token, { problem: new Problem(0, 'This browser cannot show this picture') });
      return;
    }
    if (commit(slot, token, { picture, element, pixels: pixelsOf(rendition) }) && isAll) slot.finish();
  }

  /**
   * @param {Job} job
   * @param {Problem} problem
   */
  #triesAgain(job, problem) {
    if (!isCurrent(job)) return false;
    if (problem.isGone && job.slot.attempts === 0) this.#again(job.slot);
    else if (isWorthWaiting(job.slot, problem)) this.#againAfter(job.slot, waitFor(job.slot, problem));
    else return false;
    return true;
  }

  /**
   * There was no usable response; retry a few times.
   * @param {Job} job
   * @param {string} token
   * @param {Problem} problem
   */
  #missed(job, token, problem) {
    if (isCurrent(job) && job.slot.attempts < mostAttempts) this.#again(job.slot);
    else commit(job.slot, token, { problem });
  }

  /**
   * No token was issued.
   * @param {Slot} slot
   * @param {Problem} problem
   */
  #refused(slot, problem) {
    if (isWorthWaiting(slot, problem)) {
      this.#againAfter(slot, waitFor(slot, problem));
      return;
    }
    slot.token = `refused ${slot.display}`;
    commit(slot, slot.token, { problem });
  }

  /** @param {Slot} slot */
  #again(slot) {
    slot.attempts += 1;
    slot.token = null;
    this.#tokenRequests.add(slot);
  }

  /**
   * A retry by the user has had its effect; later attempts are automatic ones.
   * @param {Slot} slot
   * @param {number} seconds
   */
  #againAfter(slot, seconds) {
    const { display } = slot;
    slot.token = null;
    slot.phase = 'wanted';
    slot.bypassesNegativeCache = false;
    setTimeout(() => {
      if (slot.display === display) this.#again(slot);
    }, seconds * 1_000);
  }

  /**
   * The request takes long and others are waiting: it will come back with a new token, after them. The server goes on
   * working.
   * @param {Job} job
   * @param {PictureRequest} request
   */
  #giveWay(job, request) {
    if (!isCurrent(job)) return;
    request.expectDropped();
    this.#session.cancel(job.token);
    job.slot.token = null;
    job.slot.yields += 1;
    this.#tokenRequests.add(job.slot);
  }

  /**
   * @param {Slot} slot
   * @param {string} token
   */
  #handBack(slot, token) {
    const held = this.#inFlight.get(slot);
    if (held?.job.token === token && !this.#limit.withdraw(held.job)) held.request.expectDropped();
    this.#session.cancel(token);
  }
}

/**
 * Whether the slot is still in the display that the job was started for. This decides about effort; only `commit`
 * decides what may be displayed.
 * @param {Job} job
 */
function isCurrent({ slot, display, token }) {
  return slot.display === display && slot.token === token;
}
