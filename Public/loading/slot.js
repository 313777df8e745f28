import { linkTo } from '../catalog/links.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {{purpose: 'visible' | 'prefetch', distance: number}} Rank
 */

/**
 * A place that displays one image at a time: a cell of the grid, a layer of the viewer. It is reused for image after
 * image; its token says what may be displayed in it.
 *
 * `phase`: `idle` nothing is requested, `wanted` it waits for a token, `waiting` it has a token and waits in the queue
 * of requests, `loading`, `decoding`, `displayed`, `failed`.
 */
export class Slot {
  /** The number of the slot in its session. */
  number = -1;
  /** @type {GalleryImage | null} */
  image = null;
  /**
   * The current token: only responses that carry it may be displayed here.
   * @type {string | null}
   */
  token = null;
  /** @type {'idle' | 'wanted' | 'waiting' | 'loading' | 'decoding' | 'displayed' | 'failed'} */
  phase = 'idle';
  /** Counts the displays, so that work begun for an earlier one can be told apart. */
  display = 0;
  /** The most pixels that the displayed rendition has on the longer side. */
  pixels = 0;
  /** Failed requests of this display. */
  attempts = 0;
  /** How often this display gave way to others because it took so long. */
  yields = 0;
  /** The user asked for a retry: bypass the negative cache. */
  bypassesNegativeCache = false;

  /** @param {Rendition} rendition */
  constructor(rendition) {
    this.rendition = rendition;
  }

  /** The cache key of the image that belongs here, whatever token brings it; another content has another link. */
  get key() {
    return this.image ? linkTo(this.image, this.rendition) : '';
  }

  /**
   * Starts another display. Whatever is in flight for the previous one has no valid token any more.
   * @param {number} number
   * @param {GalleryImage | null} image
   */
  begin(number, image) {
    this.number = number;
    this.image = image;
    this.token = null;
    this.phase = 'idle';
    this.display += 1;
    this.pixels = 0;
    this.attempts = 0;
    this.yields = 0;
    this.bypassesNegativeCache = false;
  }

  /**
   * What the place needs of its image now; null if a tile is enough.
   * @returns {import('./sizes.js').Need | null}
   */
  get need() {
    return null;
  }

  /** Whether it displays a smaller rendition while the one it needs is loading. */
  get takesLess() {
    return false;
  }

  /**
   * The slot's urgency now: visible before prefetch, then near before far.
   * @returns {Rank}
   */
  rank() {
    return { purpose: 'visible', distance: 0 };
  }

  /**
   * More is known of what belongs here: another image, another version, or further metadata.
   * @param {GalleryImage | undefined} _image
   */
  rebind(_image) {}

  /**
   * The image's origin has sent nothing for a while, or has resumed.
   * @param {boolean} _isWaiting
   */
  waitForOrigin(_isWaiting) {}

  /**
   * Called by `commit` only.
   * @param {HTMLImageElement} _element  The preview, displayed until the image has loaded.
   */
  showPreview(_element) {}

  /**
   * Called by `commit` only.
   * @param {Picture} _picture
   * @param {HTMLImageElement} _element  Decoded, and not yet in a document.
   */
  show(_picture, _element) {
    this.phase = 'displayed';
  }

  /** Nothing better will come: the image is as sharp as the place needs, or as it gets. */
  finish() {}

  /**
   * Called by `commit` only.
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
