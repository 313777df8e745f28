import { View } from '../catalog/view.js';

/**
 * Where one is: at the slot, and so many pixels further than where its row comes to the top of the screen.
 * @typedef {{index: number, within: number}} Place
 */

/**
 * Where one is, in the page's address, so that it can be reloaded, shared and gone back to: the view as the query,
 * `#at=12345` a place in the grid (from 1), `#image=ID` a picture in the viewer.
 */
export class Address {
  /** Browsers make a page wait for each change of its address, so it is changed only where somebody stays. */
  static #pause = 300;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  static #timer;

  /** @returns {{image: string} | Place | {}} */
  static read() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const image = parameters.get('image');
    if (image) return { image };
    const at = Number.parseInt(parameters.get('at') ?? '', 10);
    // To the pixel where the browser remembers this visit; a link tells the picture.
    const within = history.state?.within ?? 0;
    return at > 0 || within > 0 ? { index: Math.max(0, (at || 1) - 1), within } : {};
  }

  static get view() {
    return View.read(location.search);
  }

  /**
   * @param {View} view
   * @param {{isStep: boolean}} how  Whether Back leads to the view before.
   */
  static showView(view, { isStep }) {
    clearTimeout(Address.#timer);
    const address = location.pathname + (view.isPlain ? '' : `?${view.text}`);
    if (isStep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }

  /**
   * Soon, unless another place is shown before.
   * @param {Place} place
   */
  static showPlaceSoon(place) {
    clearTimeout(Address.#timer);
    Address.#timer = setTimeout(() => {
      if (!Address.isAtImage) Address.showPlace(place);
    }, Address.#pause);
  }

  /** @param {Place} place */
  static showPlace({ index, within }) {
    const hash = index > 0 ? `#at=${index + 1}` : '';
    if (hash === location.hash && within === (history.state?.within ?? 0)) return;
    history.replaceState({ within }, '', `${location.pathname}${location.search}${hash}`);
  }

  /**
   * What a link to a picture says: it opens in the view that the page shows, whichever that is by then.
   * @param {string} id
   */
  static ofImage(id) {
    return `#image=${id}`;
  }

  /**
   * A step forward, so that Back closes the picture.
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
