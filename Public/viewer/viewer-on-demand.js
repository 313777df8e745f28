import { loadLater } from '../page/loading-later.js';

/**
 * Stands for the viewer, which the grid does not need, and makes it once it is loaded: when a picture is opened at the
 * latest.
 *
 * Events: `viewchange`, like those of the viewer.
 */
export class ViewerOnDemand extends EventTarget {
  #parts;
  /** @type {import('./viewer.js').Viewer | undefined} */
  #viewer;
  /** Counts openings and departures, to drop an opening if the user has left or opened another picture meanwhile. */
  #visit = 0;
  /**
   * The image that is opened as soon as the viewer has been loaded, and its index.
   * @type {import('../catalog/reordering.js').Anchor | null}
   */
  #pending = null;

  /**
   * @param {Omit<ConstructorParameters<typeof import('./viewer.js').Viewer>[0], 'images'> & {transport:
   *   import('../loading/transport.js').Transport}} parts
   */
  constructor({ transport, ...parts }) {
    super();
    this.#parts = { ...parts, images: transport };
  }

  get isOpen() {
    return this.#pending !== null || (this.#viewer?.isOpen ?? false);
  }

  /** The current image and its neighbours as a viewport; null while the viewer is closed. */
  get sight() {
    return this.#viewer?.sight ?? null;
  }

  /**
   * Keeps the image when the order changes.
   * @returns {import('../catalog/reordering.js').Follower}
   */
  get follower() {
    return {
      anchors: () => (this.#pending ? [this.#pending] : (this.#viewer?.follower.anchors() ?? [])),
      follow: (index) => {
        if (this.#pending) this.#pending = { ...this.#pending, index };
        else this.#viewer?.follower.follow(index);
      },
    };
  }

  /**
   * @param {number} index
   * @param {{isNewVisit?: boolean}} [how]  Not new if the address already names the image.
   */
  async open(index, how) {
    const visit = (this.#visit += 1);
    if (this.#viewer) {
      await this.#viewer.open(index, how);
      return;
    }
    const { images } = this.#parts;
    const id = images.imageAt(index)?.id;
    this.#pending = id === undefined ? null : { id, index };
    const later = await loadLater();
    if (visit !== this.#visit) return;
    const present = this.#pending?.index ?? index;
    this.#pending = null;
    // The user may have asked for another view meanwhile.
    if (!later || (id !== undefined && images.imageAt(present)?.id !== id)) return;
    await this.prepare(later).open(present, how);
  }

  /** The address no longer names an image. */
  leave() {
    this.#visit += 1;
    this.#pending = null;
    this.#viewer?.leave();
  }

  /** @param {Pick<typeof import('../later.js'), 'Viewer'>} later  Already loaded. */
  prepare({ Viewer }) {
    if (this.#viewer) return this.#viewer;
    this.#viewer = new Viewer(this.#parts);
    this.#viewer.addEventListener('viewchange', () => this.dispatchEvent(new Event('viewchange')));
    return this.#viewer;
  }
}
