import { linkTo } from '../catalog/links.js';
import { bestStep, pixelsOf, stepFor } from '../loading/sizes.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('./assignments.js').Standing} Standing
 * @typedef {{kind: import('./worker/message.js').Kind, picture: import('../loading/cache.js').Picture}} Choice
 */

/** Of what has come of a picture, and of what is remembered, what serves a slot best. */
export class PictureChoice {
  #cache;

  /** @param {import('../loading/cache.js').PictureCache} cache */
  constructor(cache) {
    this.#cache = cache;
  }

  /**
   * @param {Slot} slot
   * @param {Standing} standing
   * @returns {Choice | null | undefined}
   */
  bestOf(slot, standing) {
    const { version, tile, isIncomplete, described } = standing;
    const cache = this.#cache;
    const key = tile && linkTo(described, tile.kind);
    // Without a version nobody knows whether what is remembered by this name is the same picture.
    const put = tile && key && (!version || !cache.get(key)) ? cache.put(key, tile.blob, isIncomplete) : undefined;
    if (!version) return tile && put && { kind: tile.kind, picture: put };
    const best = bestStep(neededBy(slot, standing), (name) => cache.get(linkTo(described, name)) !== undefined);
    const picture = best && cache.get(linkTo(described, best));
    return picture && { kind: /** @type {Choice['kind']} */ (best), picture };
  }

  /**
   * Whether what the slot shows has all the pixels that it needs.
   * @param {Slot} slot
   * @param {Standing} standing
   */
  isSharp(slot, standing) {
    return slot.pixels >= pixelsOf(neededBy(slot, standing));
  }

  /**
   * Whether nothing finer comes for the slot.
   * @param {Slot} slot
   * @param {Standing} standing
   */
  isAll(slot, standing) {
    return (standing.isEnded && isMeantFor(slot, standing)) || this.isSharp(slot, standing);
  }

  /**
   * It proved to be no picture.
   * @param {Standing} standing
   * @param {Choice} choice
   */
  reject(standing, { kind }) {
    this.#cache.remove(linkTo(standing.described, kind));
    standing.tile = null;
  }
}

/**
 * The page knows what each of its places needs; but where it does not know the picture's proportions, the server knows
 * better, and may have learnt meanwhile that more is needed than it said.
 * @param {Slot} slot
 * @param {Standing} standing
 */
function neededBy(slot, standing) {
  const { need, image } = slot;
  const { rendition, tile } = standing;
  if (image?.width || !isMeantFor(slot, standing)) return stepFor(need, image);
  return tile && pixelsOf(tile.kind) > pixelsOf(rendition) ? tile.kind : rendition;
}

/**
 * What the server says of a picture in the grid it does not say of the same picture in the viewer.
 * @param {Slot} slot
 * @param {Standing} standing
 */
function isMeantFor({ need }, { side }) {
  return (need?.side === 'box') === (side === 'box');
}
