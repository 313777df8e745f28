import { linkTo } from '../catalog/links.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {{purpose: 'visible' | 'prefetch', distance: number}} Rank
 */

/**
 * A place that shows one picture at a time: a cell of the grid, a layer of the viewer. It is given another image again
 * and again; what it may show is named by its token.
 *
 * `phase`: `idle` nothing is asked for, `wanted` a token is to be issued, `waiting` it has a token and waits for a
 * place among the requests, `loading`, `decoding`, `shown`, `failed`.
 */
export class Slot {
  /** The number of the slot in its session. */
  number = -1;
  /** @type {GalleryImage | null} */
  image = null;
  /**
   * The current token: only what bears it may be shown here.
   * @type {string | null}
   */
  token = null;
  /** @type {'idle' | 'wanted' | 'waiting' | 'loading' | 'decoding' | 'shown' | 'failed'} */
  phase = 'idle';
  /** Counts the showings, so that what was begun for an earlier one can be told apart. */
  showing = 0;
  /** Pixels of the longer side that the rendition which is shown has at the most. */
  pixels = 0;
  /** Requests made in vain for this showing. */
  attempts = 0;
  /** How often this showing gave up its place to others because it took so long. */
  yields = 0;
  /** Somebody asked for it again after it failed; a failure that the server remembers is not good enough. */
  isInsistent = false;

  /** @param {Rendition} rendition */
  constructor(rendition) {
    this.rendition = rendition;
  }

  /** Names the picture that belongs here, whatever token brings it: another content has another link. */
  get key() {
    return this.image ? linkTo(this.image, this.rendition) : '';
  }

  /**
   * Begins another showing. Whatever was under way for the one before no longer has a token to enter with.
   * @param {number} number
   * @param {GalleryImage | null} image
   */
  begin(number, image) {
    this.number = number;
    this.image = image;
    this.token = null;
    this.phase = 'idle';
    this.showing += 1;
    this.pixels = 0;
    this.attempts = 0;
    this.yields = 0;
    this.isInsistent = false;
  }

  /**
   * What the place needs of its picture now; null where a tile does.
   * @returns {import('./sizes.js').Need | null}
   */
  get need() {
    return null;
  }

  /** Whether it shows what is here of a picture while what it needs is on its way. */
  get takesLess() {
    return false;
  }

  /**
   * How urgent this slot is now: visible before prefetch, then near before far.
   * @returns {Rank}
   */
  rank() {
    return { purpose: 'visible', distance: 0 };
  }

  /**
   * What belongs here is known better now: another picture, another version, or only more about it.
   * @param {GalleryImage | undefined} _image
   */
  rebind(_image) {}

  /**
   * Its picture's origin has sent nothing for a while, or it is over with that.
   * @param {boolean} _isWaiting
   */
  waitForOrigin(_isWaiting) {}

  /**
   * Called by `commit` alone.
   * @param {HTMLImageElement} _element  A small one, to be shown until the picture is here.
   */
  showPreview(_element) {}

  /**
   * Called by `commit` alone.
   * @param {Picture} _picture
   * @param {HTMLImageElement} _element  Decoded, and in no document yet.
   */
  show(_picture, _element) {
    this.phase = 'shown';
  }

  /** What is shown is all that comes: it is as sharp as the place needs it, or nothing finer can be had. */
  finish() {}

  /**
   * Called by `commit` alone.
   * @param {import('../catalog/problem.js').Problem} _problem
   */
  fail(_problem) {
    this.phase = 'failed';
  }
}

/**
 * @param {Slot} one
 * @param {Slot} other
 */
export function byUrgency(one, other) {
  return urgency(one) - urgency(other);
}

/** @param {Slot} slot */
function urgency(slot) {
  const { purpose, distance } = slot.rank();
  return (purpose === 'visible' ? 0 : 1e9) + slot.yields * 1e6 + distance;
}
