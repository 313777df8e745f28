import { linksOf } from '../catalog/links.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {import('./stream.js').Assignment} Assignment
 */

/** What the stream says stands in a slot, and what of it has come. It may have no cell yet, or no longer. */
export class Standing {
  /** @type {HTMLImageElement | null} */
  preview = null;
  /** @type {Blob | null} */
  tile = null;
  /** @type {Problem | null} */
  problem = null;
  /** What has come says that the file ends before its picture does. */
  isIncomplete = false;
  /**
   * What the page of the catalog tells of the image, with the links that are right now.
   * @type {GalleryImage}
   */
  described;
  /** @type {GalleryImage | undefined} */
  #page;

  /** @param {Assignment} assignment */
  constructor({ slot, image, name, version, token, revision }) {
    this.slot = slot;
    this.image = image;
    this.version = version;
    this.token = token;
    this.revision = revision;
    this.described = { id: image, index: slot, name, links: linksOf(image, version) };
  }

  /** @param {GalleryImage | undefined} page  The image as the page of the catalog has it. */
  describe(page) {
    if (page && page !== this.#page) {
      this.#page = page;
      this.#redescribe(page);
    }
    return this.described;
  }

  /** @param {import('./stream.js').Content} content  As what was sent says. */
  learn({ version, isIncomplete }) {
    const isOther = version !== null && version !== this.version;
    if (!isOther && (this.isIncomplete || !isIncomplete)) return;
    if (isOther) this.version = version;
    // A preview that was made of less than the whole file does not know; the tile after it does.
    this.isIncomplete = isIncomplete;
    this.#redescribe(this.described);
  }

  /** @param {GalleryImage} told  What is told of the image, but perhaps of another content than what stands here. */
  #redescribe(told) {
    const links = linksOf(this.image, this.version);
    const isToldIncomplete = told.links.tile === links.tile && told.incomplete;
    this.described = { ...told, incomplete: this.isIncomplete || isToldIncomplete, links };
  }

  /** @param {Standing} before  What stood in the slot: if it is the same picture, what has come of it is good. */
  inherit(before) {
    const isSame = before.image === this.image && before.version === this.version;
    if (isSame) {
      this.preview = before.preview;
      this.tile = before.tile;
      this.isIncomplete = before.isIncomplete;
      this.described = before.described;
    }
  }
}

/** The slots that the stream has assigned, around what is on screen: bounded, what is furthest away goes first. */
export class Assignments {
  static #most = 1_500;
  static #kept = 1_000;

  /** @type {Map<number, Standing>} */
  #bySlot = new Map();
  /** @type {Map<string, Standing>} */
  #byToken = new Map();

  /** @param {number} slot */
  at(slot) {
    return this.#bySlot.get(slot);
  }

  /** @param {string} token */
  of(token) {
    return this.#byToken.get(token);
  }

  get size() {
    return this.#bySlot.size;
  }

  /** @param {Assignment} assignment */
  put(assignment) {
    const standing = new Standing(assignment);
    const before = this.#bySlot.get(assignment.slot);
    if (before) {
      this.#byToken.delete(before.token);
      standing.inherit(before);
    }
    this.#bySlot.set(standing.slot, standing);
    this.#byToken.set(standing.token, standing);
    return standing;
  }

  /** @param {number} slot */
  remove(slot) {
    const standing = this.#bySlot.get(slot);
    if (!standing) return;
    this.#bySlot.delete(slot);
    this.#byToken.delete(standing.token);
  }

  /** @param {number} middle  The slot in the middle of the screen. */
  trim(middle) {
    if (this.#bySlot.size <= Assignments.#most) return;
    const slots = [...this.#bySlot.keys()].sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    for (const slot of slots.slice(Assignments.#kept)) this.remove(slot);
  }
}
