import { Address } from '../page/address.js';
import { PageTitle } from '../page/title.js';
import { View } from '../catalog/view.js';
import { Places } from './places.js';

/** Responses that arrive within this time need no progress indicator. Milliseconds. */
const indicatorDelay = 250;
/**
 * Browsers limit how often the address may change; while the user types, it changes only after a pause. Milliseconds.
 */
const typingPause = 300;

/**
 * The user's choice of what to see: changes the view, whoever requested the change, and updates the page's address, so
 * that Back leads to the previous view.
 *
 * Events: `request` when another view was requested, `displayed` when it is displayed, `problem` (detail: the
 * `Problem`) when it cannot be: the previous view stays; `summons` when the user wants to search.
 */
export class Finding extends EventTarget {
  #reordering;
  #grid;
  /** The view that was requested last. */
  requested = new View();
  /** Whether the words being typed have a history entry of their own. */
  #isTyping = false;
  #places = new Places();
  /**
   * The view that is displayed.
   * @type {View | undefined}
   */
  #displayed;
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
   * Requests another view, on behalf of the user.
   * @param {View} view
   * @param {{isTyped?: boolean, start?: import('./places.js').Start}} how  `isTyped`: letter by letter, so that the
   *   whole word is one history entry. `start`: what to start with, if the user has chosen that too.
   */
  async request(view, { isTyped = false, start: chosen } = {}) {
    if (view.equals(this.requested)) return;
    this.#rememberPlace();
    const start = chosen ?? this.#startOf(view);
    const isStep = !(isTyped && this.#isTyping);
    this.#isTyping = isTyped;
    // From a view that was opened from an image, Back leads to the image.
    if (isStep && !Address.isAtImage) Address.showPlace(this.#grid.place);
    this.#setAddress(view, isStep);
    try {
      const index = await this.show(view, { at: start.index, image: start.image });
      if (index !== undefined && start.within) this.#grid.goTo(index, start.within);
    } catch {
      // The `problem` event has reported it.
    }
  }

  /** The words are complete; further typing makes another history entry. */
  endTyping() {
    this.#isTyping = false;
  }

  /**
   * Displays a view that is already in the address.
   * @param {View} view
   * @param {{at?: number, image?: string}} start
   * @returns {Promise<number | undefined>}  The slot it started with; undefined if another view was requested since.
   * @throws {import('../catalog/problem.js').Problem}
   */
  async show(view, start) {
    this.#rememberPlace();
    this.requested = view;
    PageTitle.showView(view);
    this.#wait();
    this.dispatchEvent(new Event('request'));
    try {
      const index = await this.#reordering.show(view, start);
      if (index === undefined) return undefined;
      this.#displayed = view;
      this.#endWaiting();
      this.dispatchEvent(new Event('displayed'));
      return index;
    } catch (problem) {
      this.#endWaiting();
      this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
      throw problem;
    }
  }

  #rememberPlace() {
    if (this.#displayed) this.#places.remember(this.#displayed, { ...this.#grid.place, image: this.#grid.topImage });
  }

  /**
   * Search results start with the first one, and a folder with the place where the user was in it last. In another
   * order, or after a search, the image at the top stays there unless the user was still at the beginning; a search in
   * which the user went nowhere leads back to where it started.
   * @param {View} view
   * @returns {import('./places.js').Start}
   */
  #startOf(view) {
    const { requested } = this;
    const isOtherFolder = view.folder !== requested.folder;
    if (view.q && (isOtherFolder || view.q !== requested.q)) return {};
    if (isOtherFolder) return this.#places.of(view.folder);
    if (view.order.isRandom) return {};
    const image = this.#grid.position > 0 ? this.#grid.topImage : undefined;
    if (image !== undefined) return { image };
    return requested.q && !view.q ? this.#places.of(view.folder) : {};
  }

  /**
   * @param {View} view
   * @param {boolean} isStep
   */
  #setAddress(view, isStep) {
    clearTimeout(this.#addressing);
    const set = () => Address.showView(view, { isStep });
    if (isStep) set();
    else this.#addressing = setTimeout(set, typingPause);
  }

  #wait() {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => (document.documentElement.dataset.finding = ''), indicatorDelay);
  }

  #endWaiting() {
    clearTimeout(this.#waiting);
    delete document.documentElement.dataset.finding;
  }
}
