import { View } from '../catalog/view.js';
import { readPreference, savePreference } from './memory.js';

const preferenceName = 'order';

/**
 * The order that the user chose last, remembered on this device: it applies wherever the address names none. A shuffle
 * is not remembered. Until the user chooses one, it is the order of the server's default view. `ahead.js` reads both,
 * too.
 */
export class RememberedOrder {
  /**
   * @param {string} search  The query of an address.
   * @returns {View}  What it asks for, in the remembered order unless it names one.
   */
  static applyTo(search) {
    const view = View.read(search);
    if (new URLSearchParams(search).has('sort')) return view;
    const { sort, direction } = readChosenOrder();
    return view.with({ sort, direction });
  }

  /**
   * The query of an address that names the view, whatever order is remembered.
   * @param {View} view
   */
  static queryOf(view) {
    const isNamed = new URLSearchParams(view.text).has('sort') || RememberedOrder.applyTo(view.text).equals(view);
    return isNamed ? view.text : [view.text, `sort=${view.sort}`].filter(Boolean).join('&');
  }

  /** @param {View} view */
  static keep(view) {
    const { sort, direction } = view;
    if (!view.order.isRandom) savePreference(preferenceName, new View({ sort, direction }).text);
  }

  /** The order that the user chose, as the text of a view; null for the server's default. */
  static get chosen() {
    return readPreference(preferenceName);
  }

  /** From now on the gallery opens in the server's default view again. */
  static forget() {
    savePreference(preferenceName, null);
  }

  /**
   * The server's default view has changed.
   * @param {string} text
   * @returns {boolean}  Whether addresses that name no order have another one now.
   */
  static changeDefault(text) {
    const { dataset } = document.documentElement;
    const isOther = text !== dataset.defaultView;
    dataset.defaultView = text;
    return isOther && RememberedOrder.chosen === null;
  }
}

function readChosenOrder() {
  return View.read(RememberedOrder.chosen ?? document.documentElement.dataset.defaultView);
}
