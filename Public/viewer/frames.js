/**
 * @typedef {import('./frame.js').Frame} Frame
 * @typedef {import('./frame.js').Place} Place
 * @typedef {import('../catalog/server.js').GalleryImage} GalleryImage
 */

/**
 * The frames of the viewer: the picture that is looked at, its neighbours, and in the direction of travel one more. Who
 * comes to a picture that was made ready finds it in its frame, with everything that is in it already.
 */
export class Frames {
  /** After a failure, in milliseconds. */
  static #firstPause = 1_000;
  static #longestPause = 30_000;

  #images;
  #lane;
  /** @type {Frame[]} */
  #all;
  /** @type {Record<Place, Frame>} */
  #at;
  /** Counts the arrangements, so that what comes late can be told apart. */
  #turn = 0;

  /**
   * @param {{make: () => Frame, images: Pick<import('../loading/way.js').Way, 'knownAt' | 'load'>,
   *   lane: Pick<import('../loading/lane.js').Lane, 'reorder'>}} parts
   */
  constructor({ make, images, lane }) {
    this.#images = images;
    this.#lane = lane;
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
   * @param {number} index  Of the picture that is looked at.
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
    this.#lane.reorder();
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
   * As often as it takes, ever more slowly, while the frame is meant for it.
   * @param {Frame} frame
   * @param {number} index
   */
  async #load(frame, index) {
    const turn = this.#turn;
    for (let pause = Frames.#firstPause; turn === this.#turn; pause = Math.min(2 * pause, Frames.#longestPause)) {
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
