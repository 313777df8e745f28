/**
 * @typedef {import('./frame.js').Frame} Frame
 * @typedef {'previous' | 'current' | 'next' | 'ahead'} Place  `ahead`: beyond the neighbour, and out of sight.
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 */

/** The pause after a first failure. Milliseconds. */
const firstPause = 1_000;
const longestPause = 30_000;

/**
 * The frames of the viewer: the current image, its neighbours, and one more in the direction of travel. An image that
 * was prepared keeps its frame, with everything loaded in it, when it becomes the current one.
 */
export class Frames {
  #images;
  #slotGroup;
  /** @type {Frame[]} */
  #all;
  /** @type {Record<Place, Frame>} */
  #at;
  /** Numbers the arrangements, so that late answers can be told apart. */
  #turn = 0;

  /**
   * @param {{make: () => Frame, images: Pick<import('../loading/transport.js').Transport, 'knownAt' | 'load'>,
   *   slotGroup: Pick<import('../loading/slot-group.js').SlotGroup, 'reorder'>}} parts
   */
  constructor({ make, images, slotGroup }) {
    this.#images = images;
    this.#slotGroup = slotGroup;
    const [current, next, previous, ahead] = (this.#all = Array.from({ length: 4 }, make));
    this.#at = { current, next, previous, ahead };
    for (const { place, distance } of placesAround(0, 1)) this.#at[place].put(place, distance);
  }

  get all() {
    return this.#all;
  }

  get current() {
    return this.#at.current;
  }

  /** @param {number} direction */
  neighbour(direction) {
    return direction > 0 ? this.#at.next : this.#at.previous;
  }

  /**
   * @param {number} index  Of the current image.
   * @param {GalleryImage} image
   * @param {{direction: 1 | -1, total: number}} travel
   */
  arrange(index, image, { direction, total }) {
    this.#turn += 1;
    const wanted = placesAround(index, direction).map((each) => {
      const isThere = each.index >= 0 && each.index < total;
      const known = isThere ? this.#images.knownAt(each.index) : undefined;
      return { ...each, isThere, image: each.place === 'current' ? image : known };
    });
    const spare = new Set(this.#all);
    const kept = wanted.map((each) => takeFrom(spare, (frame) => each.image?.id === frame.image?.id && !!each.image));
    wanted.forEach((each, at) => this.#fill(kept[at] ?? takeFrom(spare, () => true), each));
    this.#slotGroup.reorder();
  }

  empty() {
    this.#turn += 1;
    for (const frame of this.#all) frame.unbind();
  }

  /**
   * @param {Frame | undefined} frame
   * @param {{place: Place, distance: number, index: number, isThere: boolean, image: GalleryImage | undefined}} wanted
   */
  #fill(frame, { place, distance, index, isThere, image }) {
    if (!frame) return;
    this.#at[place] = frame;
    frame.put(place, distance);
    if (image) {
      frame.bind(index, image);
      return;
    }
    frame.unbind();
    if (isThere) this.#load(frame, index);
  }

  /**
   * Retries with backoff while the frame is meant for the image.
   * @param {Frame} frame
   * @param {number} index
   */
  async #load(frame, index) {
    const turn = this.#turn;
    for (let pause = firstPause; turn === this.#turn; pause = Math.min(2 * pause, longestPause)) {
      const image = await this.#images.load(index).catch(() => undefined);
      if (turn !== this.#turn) return;
      if (image) {
        frame.bind(index, image);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/**
 * The most urgent first.
 * @param {number} index
 * @param {1 | -1} direction  1 when travelling towards the end.
 * @returns {{place: Place, index: number, distance: number}[]}
 */
function placesAround(index, direction) {
  const [before, behind] = direction > 0 ? /** @type {const} */ (['next', 'previous']) : /** @type {const} */ (['previous', 'next']);
  return [
    { place: /** @type {const} */ ('current'), index, distance: 0 },
    { place: before, index: index + direction, distance: 1 },
    { place: behind, index: index - direction, distance: 2 },
    { place: /** @type {const} */ ('ahead'), index: index + 2 * direction, distance: 3 },
  ];
}

/**
 * @template T
 * @param {Set<T>} set
 * @param {(each: T) => boolean} isMeant
 * @returns {T | undefined}
 */
function takeFrom(set, isMeant) {
  for (const each of set) {
    if (!isMeant(each)) continue;
    set.delete(each);
    return each;
  }
  return undefined;
}
