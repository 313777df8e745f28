import { Address } from '../page/address.js';
import { View } from '../catalog/view.js';

/**
 * What people wish to see of the gallery: the view is changed here, from wherever it is wished for, and the page's
 * address follows, so that Back leads to the view before.
 *
 * Events: `wish` when another view is wished for, `shown` when it is shown, `problem` (detail: the `Problem`) when it
 * cannot be; what was shown before stays then; `summons` when somebody wants to search.
 */
export class Finding extends EventTarget {
  /** An answer that comes sooner is not waited for in anybody's sight. Milliseconds. */
  static #patience = 250;
  /** Browsers bear only so many changes of the address; those of a word that is being typed wait for its end. */
  static #typingPause = 300;

  #reordering;
  #grid;
  /** The view that was asked for last. */
  wished = new View();
  /** Whether the words that are being typed have a step of their own in the browser's history. */
  #isTyping = false;
  /**
   * The picture at the top before the search.
   * @type {string | undefined}
   */
  #before;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #waiting;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #addressing;

  /**
   * @param {{reordering: import('../catalog/reordering.js').Reordering, grid: import('../grid/grid.js').Grid}} parts
   */
  constructor({ reordering, grid }) {
    super();
    this.#reordering = reordering;
    this.#grid = grid;
  }

  /**
   * Another view, as somebody wishes.
   * @param {View} view
   * @param {{isTyped?: boolean}} [how]  Typed letter by letter: all of it is one step.
   */
  async wish(view, { isTyped = false } = {}) {
    if (view.equals(this.wished)) return;
    const start = this.#startOf(view);
    const isStep = !(isTyped && this.#isTyping);
    this.#isTyping = isTyped;
    // Back from a view that somebody went to from a picture leads to the picture.
    if (isStep && !Address.isAtImage) Address.showPlace(this.#grid.place);
    this.#setAddress(view, isStep);
    try {
      await this.show(view, start);
    } catch {
      // It was told.
    }
  }

  /** The words are complete; what is typed after that is another step. */
  endTyping() {
    this.#isTyping = false;
  }

  /**
   * A view that the address names already.
   * @param {View} view
   * @param {{at?: number, image?: string}} start
   * @returns {Promise<number | undefined>}  The slot that it began with; undefined if another one was wished for since.
   * @throws {import('../catalog/problem.js').Problem}
   */
  async show(view, start) {
    this.wished = view;
    this.#wait();
    this.dispatchEvent(new Event('wish'));
    try {
      const index = await this.#reordering.show(view, start);
      if (index === undefined) return undefined;
      this.#endWaiting();
      this.dispatchEvent(new Event('shown'));
      return index;
    } catch (problem) {
      this.#endWaiting();
      this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
      throw problem;
    }
  }

  /**
   * What is found is shown from the first on. In another order, or when the search is over, the picture at the top stays
   * there, unless nobody has left the beginning; a search that nobody looked further into leads back to where it began.
   * @param {View} view
   */
  #startOf(view) {
    const { wished } = this;
    const top = this.#grid.position > 0 ? this.#grid.topImage : undefined;
    if (!wished.q && view.q) this.#before = top;
    if ((view.q && view.q !== wished.q) || view.folder !== wished.folder || view.sort === 'shuffle') return {};
    const image = top ?? (wished.q && !view.q ? this.#before : undefined);
    return image === undefined ? {} : { image };
  }

  /**
   * @param {View} view
   * @param {boolean} isStep
   */
  #setAddress(view, isStep) {
    clearTimeout(this.#addressing);
    const set = () => Address.showView(view, { isStep });
    if (isStep) set();
    else this.#addressing = setTimeout(set, Finding.#typingPause);
  }

  #wait() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => (document.documentElement.dataset.finding = ''), Finding.#patience);
  }

  #endWaiting() {
    clearTimeout(this.#waiting);
    delete document.documentElement.dataset.finding;
  }
}
