import { linkTo } from '../catalog/links.js';
import { bestStep, pixelsOf, stepFor } from '../loading/sizes.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('./assignments.js').SlotAssignment} SlotAssignment
 * @typedef {{kind: import('./worker/message.js').Kind, picture: import('../loading/cache.js').Picture}} Choice
 */

/** Chooses the best rendition for a slot among those that have arrived and those in the cache. */
export class PictureChoice {
  #cache;

  /** @param {import('../loading/cache.js').PictureCache} cache */
  constructor(cache) {
    this.#cache = cache;
  }

  /**
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   * @returns {Choice | null | undefined}
   */
  bestOf(slot, assigned) {
    const { version, tile, isIncomplete, described } = assigned;
    const cache = this.#cache;
    const key = tile && linkTo(described, tile.kind);
    // Without a version it is unknown whether the cached picture is the same.
    const put = tile && key && (!version || !cache.get(key)) ? cache.put(key, tile.blob, isIncomplete) : undefined;
    if (!version) return tile && put && { kind: tile.kind, picture: put };
    const best = bestStep(neededBy(slot, assigned), (name) => cache.get(linkTo(described, name)) !== undefined);
    if (best === undefined) return undefined;
    const picture = cache.get(linkTo(described, best));
    return picture && { kind: best, picture };
  }

  /**
   * Whether the displayed rendition has all the pixels that the slot needs.
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  isSharp(slot, assigned) {
    return slot.pixels >= pixelsOf(neededBy(slot, assigned));
  }

  /**
   * Whether nothing finer will come for the slot.
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  isAll(slot, assigned) {
    return (assigned.isEnded && isMeantFor(slot, assigned)) || this.isSharp(slot, assigned);
  }

  /**
   * The browser could not decode it.
   * @param {SlotAssignment} assigned
   * @param {Choice} choice
   */
  reject(assigned, { kind }) {
    this.#cache.remove(linkTo(assigned.described, kind));
    assigned.tile = null;
  }
}

/**
 * The page knows what each place needs; but without the image's size the server knows better, and may have learned
 * meanwhile that more is needed than it announced.
 * @param {Slot} slot
 * @param {SlotAssignment} assigned
 */
function neededBy(slot, assigned) {
  const { need, image } = slot;
  const { rendition, tile } = assigned;
  if (image?.width || !isMeantFor(slot, assigned)) return stepFor(need, image);
  return tile && pixelsOf(tile.kind) > pixelsOf(rendition) ? tile.kind : rendition;
}

/**
 * Assignments for the grid say nothing about the viewer's needs, and vice versa.
 * @param {Slot} slot
 * @param {SlotAssignment} assigned
 */
function isMeantFor({ need }, { side }) {
  return (need?.side === 'box') === (side === 'box');
}
