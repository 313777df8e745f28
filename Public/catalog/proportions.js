import { Shape } from './shape.js';

/**
 * The proportions of the order that is shown: fetched for what is on screen and around it, some bytes for thousands of
 * images, so that whoever scrolls never overtakes them.
 *
 * Events: `known` when those of some images became known, or may be asked for again; `shape` when more has become known of
 * what images the order has without the order being another one, and `pages.shape` is another one.
 */
export class Proportions extends EventTarget {
  static #requests = 2;
  /** After a failure. Milliseconds. */
  static #patience = 2_000;

  #pages;
  #server;
  /** @type {Set<string>} */
  #underWay = new Set();
  #pausedUntil = -Infinity;
  #isRenewing = false;
  /** What is on screen. */
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
   * Says what is on screen.
   * @param {number} first
   * @param {number} last  Inclusive.
   * @param {number} direction  1 when travelling towards the end, -1 towards the beginning.
   */
  want(first, last, direction) {
    const { shape } = this.#pages;
    this.#seen = { first, last };
    if (shape.isEven || performance.now() < this.#pausedUntil) return;
    const near = Shape.window / 2;
    const ahead = Shape.window + near;
    const wishes = [
      ...shape.missing(first, last),
      ...shape.missing(first - (direction < 0 ? ahead : near), last + (direction > 0 ? ahead : near)),
    ];
    for (const window of new Set(wishes)) {
      if (this.#underWay.size >= Proportions.#requests) return;
      this.#fetch(shape, window);
    }
  }

  /**
   * @param {Shape} shape
   * @param {number} window
   */
  async #fetch(shape, window) {
    const name = `${shape.revision} ${window}`;
    if (this.#underWay.has(name)) return;
    this.#underWay.add(name);
    try {
      const { bytes } = await this.#server.ratios(this.#pages.view, window * Shape.window, Shape.window);
      // Another order's bytes would be as good as none; rows must be made of some.
      shape.put(window, bytes);
    } catch {
      this.#pausedUntil = performance.now() + Proportions.#patience;
      await new Promise((resolve) => setTimeout(resolve, Proportions.#patience + 1));
    }
    this.#underWay.delete(name);
    if (shape === this.#pages.shape) this.dispatchEvent(new Event('known'));
  }

  /** Asks whether more is known of the images than was; nothing is told before that of what is on screen is here. */
  async renew() {
    const { view, revision, total = 0, shape } = this.#pages;
    if (this.#isRenewing || total === 0 || total > Shape.largest) return;
    this.#isRenewing = true;
    try {
      const next = await this.#ask(view, total);
      const isNews = shape.isDoubtful || !next.equals(shape);
      if (next.revision !== revision || shape !== this.#pages.shape || !isNews) return;
      this.#pages.shape = next;
      this.dispatchEvent(new Event('shape'));
    } catch (problem) {
      // What is known goes on being good enough, unless it is nothing.
      const isLate = shape.isDoubtful && !(/** @type {any} */ (problem).isRefusal);
      if (isLate) setTimeout(() => shape === this.#pages.shape && this.renew(), Proportions.#patience);
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
      next.put(window, (await this.#server.ratios(view, window * Shape.window, Shape.window)).bytes);
    }));
    return next;
  }
}
