import { linkTo } from '../catalog/links.js';
import { Problem } from '../catalog/problem.js';
import { commit } from './commit.js';
import { decode } from './decode.js';
import { Orders } from './orders.js';
import { isWorthWaiting, mostAttempts, waitFor } from './patience.js';
import { PictureRequest } from './request.js';
import { bestStep, pixelsOf } from './sizes.js';

/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {import('./places.js').Job} Job
 * @typedef {import('./request.js').Answer} Answer
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 */

let shownFromCache = 0;

/**
 * Brings pictures to slots: a token first, then a place among the requests, then the door of `commit`. The server
 * begins its work when it issues the token, so a slot that waits for a place loses nothing.
 */
export class PictureLoader {
  #desk;
  #places;
  #cache;
  #connection;
  #orders;
  /** @type {WeakMap<Slot, {job: Job, request: PictureRequest}>} */
  #underWay = new WeakMap();

  /**
   * @param {{desk: import('./desk.js').TokenDesk, places: import('./places.js').Places,
   *   cache: import('./cache.js').PictureCache, connection: import('../catalog/connection.js').Connection}} parts
   */
  constructor({ desk, places, cache, connection }) {
    this.#desk = desk;
    this.#places = places;
    this.#cache = cache;
    this.#connection = connection;
    this.#orders = new Orders(
      desk,
      connection,
      (slot, token, purpose) => this.#enqueue(slot, token, purpose),
      (slot, problem) => this.#refused(slot, problem),
    );
  }

  /**
   * Loads the slot's picture and shows it there, unless the slot moves on before.
   * @param {Slot} slot  At the beginning of a showing.
   */
  request(slot) {
    // Without an image there is nothing to ask for yet.
    if (slot.phase !== 'idle' || !slot.image) return;
    const known = this.#cache.get(slot.key);
    if (known) this.#showKnown(slot, slot.rendition, known);
    else if (slot.takesLess) this.#showLess(slot);
    else this.#orders.add(slot);
  }

  /**
   * What is here of the picture, before what is needed is asked for.
   * @param {Slot} slot
   */
  async #showLess(slot) {
    const { image, showing } = slot;
    const less = image && bestStep(slot.rendition, (name) => this.#cache.get(linkTo(image, name)) !== undefined);
    const known = less && this.#cache.get(linkTo(image, less));
    const isEnough = less && pixelsOf(less) >= pixelsOf(slot.rendition);
    if (isEnough) slot.rendition = less;
    if (known) await this.#showKnown(slot, less, known);
    if (slot.showing !== showing || (isEnough && slot.phase === 'shown')) return;
    slot.token = null;
    this.#orders.add(slot);
  }

  /** @param {Slot} _slot  One that shows something, by whomever it was loaded. */
  adopt(_slot) {}

  /** @param {Slot} _slot  It is loaded by others from now on, and keeps what it shows. */
  leave(_slot) {}

  /**
   * @param {Slot} slot
   * @param {number} number
   */
  renumber(slot, number) {
    slot.number = number;
  }

  /**
   * The slot's showing is over: its token is handed back, at whatever stage it is.
   * @param {Slot} slot
   */
  release(slot) {
    const { token, phase } = slot;
    this.#orders.remove(slot);
    slot.begin(-1, null);
    if (token && (phase === 'wanted' || phase === 'waiting' || phase === 'loading')) this.#handBack(slot, token);
  }

  /**
   * Begins again what failed.
   * @param {Slot} slot
   */
  retry(slot) {
    slot.begin(slot.number, slot.image);
    slot.isInsistent = true;
    this.request(slot);
  }

  /** @param {boolean} isHeld  While true no tokens are ordered. */
  hold(isHeld) {
    this.#orders.hold(isHeld);
  }

  /** What is on screen has changed, and with it the ranks of the slots. */
  reorder() {
    this.#places.fill();
    // The server takes what was ordered ahead of need for less urgent; a new token says otherwise, and ends the old.
    for (const job of this.#places.overtaken()) {
      if (!this.#underWay.has(job.slot)) continue;
      this.#places.withdraw(job);
      this.#orders.add(job.slot);
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
      showing: slot.showing,
      send: () => this.#send(job, request),
      giveWay: () => this.#giveWay(job, request),
    };
    this.#underWay.set(slot, { job, request });
    this.#places.add(job);
  }

  /**
   * @param {Job} job
   * @param {PictureRequest} request
   */
  async #send(job, request) {
    if (isCurrent(job)) job.slot.phase = 'loading';
    const answer = await request.send();
    // The place is free now; decoding and showing are not its business.
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
        // Asked for by this page, as a rule; if not, the server has ended the session meanwhile.
        this.#missed(job, answer.token, new Problem(0, 'The picture did not come'));
        break;
      case 'broken':
        if (isCurrent(job)) this.#connection.suspect();
        this.#missed(job, answer.token, new Problem(0, 'The connection broke off'));
        break;
    }
  }

  /**
   * @param {Job} job  With the token that the answer bears.
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
    // No answer brings this picture, so it gets a token of the page's own to enter with.
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
      if (isAll) commit(slot, token, { problem: new Problem(0, 'Not a picture that this browser can show') });
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
   * There was no answer to show; a few times that is no reason to give up.
   * @param {Job} job
   * @param {string} token
   * @param {Problem} problem
   */
  #missed(job, token, problem) {
    if (isCurrent(job) && job.slot.attempts < mostAttempts) this.#again(job.slot);
    else commit(job.slot, token, { problem });
  }

  /**
   * No token could be had.
   * @param {Slot} slot
   * @param {Problem} problem
   */
  #refused(slot, problem) {
    if (isWorthWaiting(slot, problem)) {
      this.#againAfter(slot, waitFor(slot, problem));
      return;
    }
    slot.token = `refused ${slot.showing}`;
    commit(slot, slot.token, { problem });
  }

  /** @param {Slot} slot */
  #again(slot) {
    slot.attempts += 1;
    slot.token = null;
    this.#orders.add(slot);
  }

  /**
   * A person who insisted was heard; what comes now comes by itself.
   * @param {Slot} slot
   * @param {number} seconds
   */
  #againAfter(slot, seconds) {
    const { showing } = slot;
    slot.token = null;
    slot.phase = 'wanted';
    slot.isInsistent = false;
    setTimeout(() => {
      if (slot.showing === showing) this.#again(slot);
    }, seconds * 1_000);
  }

  /**
   * The request takes long and others wait: it comes back with a new token, after them. The server goes on working.
   * @param {Job} job
   * @param {PictureRequest} request
   */
  #giveWay(job, request) {
    if (!isCurrent(job)) return;
    request.expectDropped();
    this.#desk.cancel(job.token);
    job.slot.token = null;
    job.slot.yields += 1;
    this.#orders.add(job.slot);
  }

  /**
   * @param {Slot} slot
   * @param {string} token
   */
  #handBack(slot, token) {
    const held = this.#underWay.get(slot);
    if (held?.job.token === token && !this.#places.withdraw(held.job)) held.request.expectDropped();
    this.#desk.cancel(token);
  }
}

/**
 * Whether the slot is still in the showing that the job was begun for. Decides about effort; what may be shown is
 * decided by `commit` alone.
 * @param {Job} job
 */
function isCurrent({ slot, showing, token }) {
  return slot.showing === showing && slot.token === token;
}
