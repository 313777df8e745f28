import { linksOf } from '../catalog/links.js';
import { stepFor } from '../loading/sizes.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {import('./stream.js').Assignment} Assignment
 */

/** What the stream says stands in a slot, and what of it has come. It may have no cell yet, or no longer. */
export class Standing {
  /** @type {HTMLImageElement | null} */
  preview = null;
  /**
   * A tile, or what is larger or smaller.
   * @type {{kind: import('./worker/message.js').Kind, blob: Blob} | null}
   */
  tile = null;
  /** @type {Problem | null} */
  problem = null;
  /** Nothing more of it comes by its token. */
  isEnded = false;
  /**
   * What the page said of its places when this was assigned.
   * @type {import('../loading/sizes.js').Need['side'] | undefined}
   */
  side;
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
  constructor({ slot, image, name, version, token, revision, rendition }) {
    this.slot = slot;
    this.image = image;
    this.version = version;
    this.token = token;
    this.revision = revision;
    /** The largest that the slot needs. */
    this.rendition = rendition;
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
      this.preview ??= before.preview;
      this.tile ??= before.tile;
      this.isIncomplete ||= before.isIncomplete;
      this.described = before.described;
    }
  }
}

/**
 * The slots that the stream has assigned, around what is on screen: bounded, what is furthest away goes first. What is of
 * a newer order than the one that is shown waits until that is.
 */
export class Assignments {
  static #most = 1_500;
  static #kept = 1_000;
  /** Bytes of what has come and is larger than a tile, beside those of the picture cache. */
  static #heaviest = 64 * 1_048_576;
  /** So far from what is on screen pages may still tell of what was assigned, in slots. */
  static #reach = 500;

  /** @type {Map<number, Standing>} */
  #bySlot = new Map();
  /** @type {Map<string, Standing>} */
  #byToken = new Map();
  /** Bytes of what has come. */
  #bytes = 0;
  /**
   * Of orders to come, by slot.
   * @type {Map<number, Standing>}
   */
  #coming = new Map();

  /** @param {number} slot */
  at(slot) {
    return this.#bySlot.get(slot);
  }

  /**
   * What stands in these slots, and those that are to be made ready, of which nothing was assigned, or less.
   * @param {import('./stream.js').Report} report
   * @param {(index: number) => GalleryImage | undefined} imageAt
   * @returns {{slot: number, image: string, name: string, rendition: import('../catalog/server.js').Rendition}[]}
   */
  lackingOf(report, imageAt) {
    const { first, count, ahead = 0, behind = 0 } = report;
    const beyond = Math.max(ahead, behind);
    const slots = Array.from({ length: count + 2 * beyond }, (_, at) => first - beyond + at);
    return slots.flatMap((slot) => {
      const image = imageAt(slot);
      const standing = this.at(slot);
      const isThere = standing?.image === image?.id && (standing?.side === 'box') === (report.side === 'box');
      if (!image || isThere) return [];
      return [{ slot, image: image.id, name: image.name, rendition: stepFor(report, image) }];
    });
  }

  /**
   * @param {Standing} standing
   * @param {NonNullable<Standing['tile']>} tile  What has come of it.
   */
  hold(standing, tile) {
    this.#bytes += tile.blob.size - (standing.tile?.blob.size ?? 0);
    standing.tile = tile;
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
    // What an earlier stream, which counted further, put aside for the slot is over.
    this.#discard(this.#coming, assignment.slot);
    const standing = new Standing(assignment);
    this.#keep(standing);
    return standing;
  }

  /**
   * Of an order that is not shown yet. What is sent for it meanwhile is kept.
   * @param {Assignment} assignment
   */
  putAside(assignment) {
    const standing = new Standing(assignment);
    const before = this.#coming.get(standing.slot);
    if (before) this.#byToken.delete(before.token);
    this.#coming.delete(standing.slot);
    this.#coming.set(standing.slot, standing);
    this.#byToken.set(standing.token, standing);
    const [oldest] = this.#coming;
    if (this.#coming.size > Assignments.#kept && oldest) this.#discard(this.#coming, oldest[0]);
  }

  /**
   * Another order is shown. What has come of pictures stays with them. What stood in a slot of which nothing is known yet
   * is left there: had the server anything else to say of it, it would.
   * @param {number} revision
   * @param {number} to  Where in it what is on screen stands.
   * @param {(slot: number) => string | undefined} imageAt  As far as it is known.
   * @returns {Standing[]}  What waited for this order, and stands in its slot now.
   */
  move(revision, to, imageAt) {
    /** @type {Map<string, number>} */
    const slots = new Map();
    for (let slot = Math.max(0, to - Assignments.#reach); slot < to + Assignments.#reach; slot += 1) {
      const image = imageAt(slot);
      if (image) slots.set(image, slot);
    }
    const before = [...this.#bySlot.values()];
    this.#bySlot.clear();
    for (const standing of before) {
      const isSame = [undefined, standing.image].includes(imageAt(standing.slot));
      const slot = slots.get(standing.image) ?? (isSame ? standing.slot : undefined);
      if (slot === undefined || this.#bySlot.has(slot)) {
        this.#byToken.delete(standing.token);
        continue;
      }
      if (slot !== standing.slot) standing.revision = revision;
      standing.slot = slot;
      this.#bySlot.set(slot, standing);
    }
    return this.#moveIn(({ revision: itsOwn }) => itsOwn <= revision);
  }

  /**
   * What was put aside for an order to come is good already where the one that is shown has the same picture.
   * @param {(slot: number) => string | undefined} imageAt  Of the order that is shown.
   * @returns {Standing[]}  What stands in its slot now.
   */
  takeUp(imageAt) {
    return this.#moveIn(({ slot, image }) => imageAt(slot) === image);
  }

  /**
   * Of what was put aside.
   * @param {(standing: Standing) => boolean} isDue
   */
  #moveIn(isDue) {
    const due = [...this.#coming.values()].filter(isDue);
    for (const standing of due) {
      this.#coming.delete(standing.slot);
      this.#keep(standing);
    }
    return due;
  }

  /** What was assigned is of another view. */
  clear() {
    this.#bytes = 0;
    this.#bySlot.clear();
    this.#byToken.clear();
    this.#coming.clear();
  }

  /** @param {Standing} standing */
  #keep(standing) {
    const before = this.#bySlot.get(standing.slot);
    if (before) {
      if (before.token !== standing.token) this.#byToken.delete(before.token);
      standing.inherit(before);
    }
    this.#bySlot.set(standing.slot, standing);
    this.#byToken.set(standing.token, standing);
  }

  /** @param {number} slot */
  remove(slot) {
    this.#discard(this.#bySlot, slot);
  }

  /**
   * @param {Map<number, Standing>} from
   * @param {number} slot
   */
  #discard(from, slot) {
    const standing = from.get(slot);
    if (!standing) return;
    this.#bytes -= standing.tile?.blob.size ?? 0;
    from.delete(slot);
    this.#byToken.delete(standing.token);
  }

  /** @param {number} middle  The slot in the middle of the screen. */
  trim(middle) {
    if (this.#bySlot.size <= Assignments.#most && this.#bytes <= Assignments.#heaviest) return;
    const slots = [...this.#bySlot.keys()].sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    this.#bytes = 0;
    slots.forEach((slot, at) => {
      const bytes = this.at(slot)?.tile?.blob.size ?? 0;
      const fits = at < Assignments.#kept && this.#bytes + bytes <= Assignments.#heaviest / 2;
      this.#bytes += bytes;
      if (!fits) this.remove(slot);
    });
  }
}
