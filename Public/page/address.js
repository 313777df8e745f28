import { RememberedOrder } from './remembered-order.js';

/** @typedef {import('../catalog/view.js').View} View */

/**
 * A place in the grid: a slot, and how many pixels its row is scrolled beyond the top of the screen.
 * @typedef {{index: number, within: number}} Place
 */

/** Changing the address is expensive, so it changes only after a pause. Milliseconds. */
const addressDelay = 300;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * The place in the page's address, so that it can be reloaded, shared and returned to: the view as the query,
 * `#at=12345` a place in the grid (from 1), `#image=ID` an image in the viewer.
 */
export class Address {
  /** @returns {{image: string} | Place | {}} */
  static read() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const image = parameters.get('image');
    if (image) return { image };
    const at = Number.parseInt(parameters.get('at') ?? '', 10);
    // Exact to the pixel for a visit in the browser's history; a link names only the image.
    const within = history.state?.within ?? 0;
    return at > 0 || within > 0 ? { index: Math.max(0, (at || 1) - 1), within } : {};
  }

  static get view() {
    return RememberedOrder.applyTo(location.search);
  }

  /**
   * @param {View} view
   * @param {{isStep: boolean}} how  Whether Back leads to the previous view.
   */
  static showView(view, { isStep }) {
    clearTimeout(timer);
    const query = RememberedOrder.queryOf(view);
    const address = location.pathname + (query && `?${query}`);
    if (isStep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }

  /**
   * Names the displayed view in the present history entry, because another order is remembered from now on.
   * @param {View} view
   */
  static nameView(view) {
    const query = RememberedOrder.queryOf(view);
    history.replaceState(history.state, '', location.pathname + (query && `?${query}`) + location.hash);
  }

  /**
   * Updates the address after a pause, unless another place is displayed first.
   * @param {Place} place
   */
  static showPlaceSoon(place) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!Address.isAtImage) Address.showPlace(place);
    }, addressDelay);
  }

  /** @param {Place} place */
  static showPlace({ index, within }) {
    const hash = index > 0 ? `#at=${index + 1}` : '';
    if (hash === location.hash && within === (history.state?.within ?? 0)) return;
    history.replaceState({ within }, '', `${location.pathname}${location.search}${hash}`);
  }

  /**
   * The address of an image: it opens in the view that the page has when the link is followed.
   * @param {string} id
   */
  static ofImage(id) {
    return `#image=${id}`;
  }

  /**
   * Adds a history entry, so that Back closes the image.
   * @param {string} id
   */
  static enterImage(id) {
    history.pushState({ image: id }, '', Address.ofImage(id));
  }

  /** @param {string} id */
  static showImage(id) {
    history.replaceState({ image: id }, '', Address.ofImage(id));
  }

  static get isAtImage() {
    return 'image' in Address.read();
  }
}
