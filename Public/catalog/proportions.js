import { Shape, mostShapedImages, ratiosPerWindow } from './shape.js';

const maximumRequests = 2;
/** After a failure. Milliseconds. */
const retryDelay = 2_000;

/**
 * The aspect ratios of the displayed order: fetched for the viewport and its surroundings, a few bytes for thousands of
 * images, so that scrolling never overtakes them.
 *
 * Events: `known` when the ratios of some images became known, or may be requested again; `shape` when `pages.shape`
 * was replaced because more became known of the same order.
 */
export class Proportions extends EventTarget {
  #pages;
  #server;
  /** @type {Set<string>} */
  #inFlight = new Set();
  #pausedUntil = -Infinity;
  #isRenewing = false;
  /** The viewport. */
  #seen = { first: 0, last: -1 };

  /**
   * @param {import('./pages.js').Pages} pages
   * @param {Pick<import('./server.js').Server, 'shape' | 'ratios'>} server
   */
  constructor(pages, server) {
    super();
    this.#pages = pages;
    this.#server = server;
    pages.addEventListener('catalog', () => pages.shape.isDoubtful && this.renew());
  }

  /**
   * Reports the viewport.
   * @param {number} first
   * @param {number} last  Inclusive.
   * @param {number} direction  1 when travelling towards the end, -1 towards the beginning.
   */
  want(first, last, direction) {
    const { shape } = this.#pages;
    this.#seen = { first, last };
    if (shape.isEven || performance.now() < this.#pausedUntil) return;
    const near = ratiosPerWindow / 2;
    const ahead = ratiosPerWindow + near;
    const wishes = [
      ...shape.missing(first, last),
      ...shape.missing(first - (direction < 0 ? ahead : near), last + (direction > 0 ? ahead : near)),
    ];
    for (const window of new Set(wishes)) {
      if (this.#inFlight.size >= maximumRequests) return;
      this.#fetch(shape, window);
    }
  }

  /**
   * @param {Shape} shape
   * @param {number} window
   */
  async #fetch(shape, window) {
    const name = `${shape.revision} ${window}`;
    if (this.#inFlight.has(name)) return;
    this.#inFlight.add(name);
    try {
      const { bytes } = await this.#server.ratios(this.#pages.view, window * ratiosPerWindow, ratiosPerWindow);
      // Bytes of another order are useless, but rows have to be built of something.
      shape.put(window, bytes);
    } catch {
      this.#pausedUntil = performance.now() + retryDelay;
      await new Promise((resolve) => setTimeout(resolve, retryDelay + 1));
    }
    this.#inFlight.delete(name);
    if (shape === this.#pages.shape) this.dispatchEvent(new Event('known'));
  }

  /** Checks whether more is known of the images; announces it only once the ratios of the viewport have arrived. */
  async renew() {
    const { view, revision, total = 0, shape } = this.#pages;
    if (this.#isRenewing || total === 0 || total > mostShapedImages) return;
    this.#isRenewing = true;
    try {
      const next = await this.#ask(view, total);
      const hasChanged = shape.isDoubtful || !next.equals(shape);
      if (next.revision !== revision || shape !== this.#pages.shape || !hasChanged) return;
      this.#pages.shape = next;
      this.dispatchEvent(new Event('shape'));
    } catch (problem) {
      // The known shape is good enough, unless there is none.
      const isLate = shape.isDoubtful && !(/** @type {import('./problem.js').Problem} */ (problem).isRefusal);
      if (isLate) setTimeout(() => shape === this.#pages.shape && this.renew(), retryDelay);
    } finally {
      this.#isRenewing = false;
    }
  }

  /**
   * @param {import('./view.js').View} view
   * @param {number} total
   */
  async #ask(view, total) {
    const next = new Shape(await this.#server.shape(view), total);
    const { first, last } = this.#seen;
    await Promise.all(next.missing(first, last).map(async (window) => {
      next.put(window, (await this.#server.ratios(view, window * ratiosPerWindow, ratiosPerWindow)).bytes);
    }));
    return next;
  }
}
