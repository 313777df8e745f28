import { linksOf } from '../catalog/links.js';
import { stepFor } from '../loading/sizes.js';

/**
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {import('./stream.js').Assignment} Assignment
 */

/**
 * The image that the stream assigned to a slot, and what has arrived of it. The slot may have no cell yet, or no
 * longer.
 */
export class SlotAssignment {
  /** @type {HTMLImageElement | null} */
  preview = null;
  /**
   * The largest rendition that has arrived; usually a tile.
   * @type {{kind: import('./worker/message.js').Kind, blob: Blob} | null}
   */
  tile = null;
  /** @type {Problem | null} */
  problem = null;
  /** Nothing more will arrive with this token. */
  isEnded = false;
  /**
   * The `side` of the viewport report at the time of the assignment.
   * @type {import('../loading/sizes.js').Need['side'] | undefined}
   */
  side;
  /** The renditions that arrived say that the file is truncated. */
  isIncomplete = false;
  /**
   * The image as the catalog describes it, with links to the right version.
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
    /** The largest rendition that the slot needs. */
    this.rendition = rendition;
    this.described = { id: image, name, links: linksOf(image, version) };
  }

  /** @param {GalleryImage | undefined} page  The image in its page of the catalog. */
  describe(page) {
    if (page && page !== this.#page) {
      this.#page = page;
      this.#redescribe(page);
    }
    return this.described;
  }

  /** @param {import('./stream.js').Content} content  As the message says. */
  learn({ version, isIncomplete }) {
    const isOther = version !== null && version !== this.version;
    if (!isOther && (this.isIncomplete || !isIncomplete)) return;
    if (isOther) this.version = version;
    // A preview that was made from part of the file does not show whether the file is truncated; the next tile does.
    this.isIncomplete = isIncomplete;
    this.#redescribe(this.described);
  }

  /** @param {GalleryImage} description  Of the image, perhaps of another version than the one here. */
  #redescribe(description) {
    const links = linksOf(this.image, this.version);
    const isIncomplete = this.isIncomplete || (description.links.tile === links.tile && description.incomplete);
    this.described = { ...description, incomplete: isIncomplete, links };
  }

  /**
   * @param {SlotAssignment} before  The slot's previous assignment: if the image is the same, what has arrived of it
   *   stays valid.
   */
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

const mostAssignments = 1_500;
const mostKept = 1_000;
/** The most bytes of renditions held here, beside those of the picture cache. */
const mostBytes = 64 * 1_048_576;
/** How far from the viewport an assignment may find its new position in the pages. Slots. */
const reach = 500;

/**
 * The assignments around the viewport: bounded; the furthest away are dropped first. Assignments of a newer order than
 * the displayed one wait until that one is displayed.
 */
export class Assignments {
  /** @type {Map<number, SlotAssignment>} */
  #bySlot = new Map();
  /** @type {Map<string, SlotAssignment>} */
  #byToken = new Map();
  /**
   * Assignments of later orders, by slot.
   * @type {Map<number, SlotAssignment>}
   */
  #coming = new Map();

  /** @param {number} slot */
  at(slot) {
    return this.#bySlot.get(slot);
  }

  /**
   * The slots of a viewport, and those around it, that lack an assignment for the present need.
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
      const assigned = this.at(slot);
      const isThere = assigned?.image === image?.id && (assigned?.side === 'box') === (report.side === 'box');
      if (!image || isThere) return [];
      return [{ slot, image: image.id, name: image.name, rendition: stepFor(report, image) }];
    });
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
    // An assignment put aside by an earlier stream, with a higher revision, is obsolete.
    this.#discard(this.#coming, assignment.slot);
    const assigned = new SlotAssignment(assignment);
    this.#keep(assigned);
    return assigned;
  }

  /**
   * Keeps an assignment of an order that is not displayed yet, and what arrives for it.
   * @param {Assignment} assignment
   */
  putAside(assignment) {
    const assigned = new SlotAssignment(assignment);
    const before = this.#coming.get(assigned.slot);
    if (before) this.#byToken.delete(before.token);
    this.#coming.delete(assigned.slot);
    this.#coming.set(assigned.slot, assigned);
    this.#byToken.set(assigned.token, assigned);
    const [oldest] = this.#coming;
    if (this.#coming.size > mostKept && oldest) this.#discard(this.#coming, oldest[0]);
  }

  /**
   * Another order is displayed. Renditions stay with their images. An assignment whose slot has no known image stays:
   * if the server had anything else for that slot, it would say so.
   * @param {number} revision
   * @param {number} to  The position of the viewport in the order.
   * @param {(slot: number) => string | undefined} imageAt  If known.
   * @returns {SlotAssignment[]}  The waiting assignments that now have their slots.
   */
  move(revision, to, imageAt) {
    /** @type {Map<string, number>} */
    const slots = new Map();
    for (let slot = Math.max(0, to - reach); slot < to + reach; slot += 1) {
      const image = imageAt(slot);
      if (image) slots.set(image, slot);
    }
    const before = [...this.#bySlot.values()];
    this.#bySlot.clear();
    for (const assigned of before) {
      const isSame = [undefined, assigned.image].includes(imageAt(assigned.slot));
      const slot = slots.get(assigned.image) ?? (isSame ? assigned.slot : undefined);
      if (slot === undefined || this.#bySlot.has(slot)) {
        this.#byToken.delete(assigned.token);
        continue;
      }
      if (slot !== assigned.slot) assigned.revision = revision;
      assigned.slot = slot;
      this.#bySlot.set(slot, assigned);
    }
    return this.#moveIn(({ revision: itsOwn }) => itsOwn <= revision);
  }

  /**
   * Activates waiting assignments whose slot has the same image in the displayed order already.
   * @param {(slot: number) => string | undefined} imageAt  In the displayed order.
   * @returns {SlotAssignment[]}  The assignments that now have their slots.
   */
  takeUp(imageAt) {
    return this.#moveIn(({ slot, image }) => imageAt(slot) === image);
  }

  /**
   * Activates waiting assignments.
   * @param {(assigned: SlotAssignment) => boolean} isDue
   */
  #moveIn(isDue) {
    const due = [...this.#coming.values()].filter(isDue);
    for (const assigned of due) {
      this.#coming.delete(assigned.slot);
      this.#keep(assigned);
    }
    return due;
  }

  /** Another view is displayed. */
  clear() {
    this.#bySlot.clear();
    this.#byToken.clear();
    this.#coming.clear();
  }

  /** @param {SlotAssignment} assigned */
  #keep(assigned) {
    const before = this.#bySlot.get(assigned.slot);
    if (before) {
      if (before.token !== assigned.token) this.#byToken.delete(before.token);
      assigned.inherit(before);
    }
    this.#bySlot.set(assigned.slot, assigned);
    this.#byToken.set(assigned.token, assigned);
  }

  /** @param {number} slot */
  remove(slot) {
    this.#discard(this.#bySlot, slot);
  }

  /**
   * @param {Map<number, SlotAssignment>} from
   * @param {number} slot
   */
  #discard(from, slot) {
    const assigned = from.get(slot);
    if (!assigned) return;
    from.delete(slot);
    this.#byToken.delete(assigned.token);
  }

  /** @param {number} middle  The slot in the middle of the screen. */
  trim(middle) {
    const bytes = bytesOf(this.#bySlot) + bytesOf(this.#coming);
    if (this.#bySlot.size <= mostAssignments && bytes <= mostBytes) return;
    const slots = [...this.#bySlot.keys()].sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
    let kept = 0;
    slots.forEach((slot, at) => {
      kept += this.at(slot)?.tile?.blob.size ?? 0;
      if (at >= mostKept || kept > mostBytes / 2) this.remove(slot);
    });
  }
}

/**
 * Adds up all sizes at each call: assignments are removed in many ways, and a running total would miss one of them.
 * @param {Map<number, SlotAssignment>} assigned
 */
function bytesOf(assigned) {
  let bytes = 0;
  for (const { tile } of assigned.values()) bytes += tile?.blob.size ?? 0;
  return bytes;
}
