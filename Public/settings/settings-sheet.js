import { serverTables } from '../catalog/server-tables.js';
import { View } from '../catalog/view.js';
import { Address } from '../page/address.js';
import { Motion } from '../page/motion.js';
import { RememberedOrder } from '../page/remembered-order.js';
import { SingleKeys } from '../page/single-keys.js';
import { attachClosing } from '../page/sheet.js';
import { find } from '../page/template.js';
import { listGestures } from './gestures.js';
import { Theme } from './theme.js';

/** What the user may choose for this browser. Each choice applies at once. */
export class SettingsSheet {
  /** @type {HTMLDialogElement} */
  #dialog = find('#settings');
  /** @type {HTMLFormElement} */
  #form = find('#settings-form');
  #finding;

  /**
   * @param {{shortcuts: import('../page/shortcuts.js').Shortcuts, finding: import('../finding/finding.js').Finding}} parts
   */
  constructor({ shortcuts, finding }) {
    this.#finding = finding;
    attachClosing(this.#dialog);
    listGestures();
    find('#settings-order').append(...orderOptions());
    this.#form.addEventListener('change', ({ target }) => this.#take(/** @type {HTMLInputElement} */ (target).name));
    find('#settings-shortcuts').addEventListener('click', () => {
      this.#dialog.close();
      shortcuts.open();
    });
  }

  open() {
    this.#field('theme').value = Theme.chosen;
    this.#field('motion').value = Motion.chosen;
    const order = RememberedOrder.chosen;
    this.#field('order').value = order === null ? '' : valueOf(View.read(order));
    this.#field('keys').checked = SingleKeys.areOn;
    this.#dialog.showModal();
  }

  /**
   * @param {string} name
   * @returns {HTMLInputElement}  Or a group of radio buttons or a menu, which have a value, too.
   */
  #field(name) {
    return /** @type {HTMLInputElement} */ (this.#form.elements.namedItem(name));
  }

  /** @param {string} name  Of the field that was changed. */
  #take(name) {
    const field = this.#field(name);
    if (name === 'theme') Theme.chosen = field.value;
    if (name === 'motion') Motion.chosen = field.value;
    if (name === 'keys') SingleKeys.areOn = field.checked;
    if (name === 'order') this.#takeOrder(field.value);
  }

  /** @param {string} text  The view that has the order, as text; empty for the gallery's own order. */
  #takeOrder(text) {
    if (text) RememberedOrder.keep(View.read(text));
    else RememberedOrder.forget();
    const { sort, direction } = RememberedOrder.applyTo('');
    Address.nameView(this.#finding.requested);
    this.#finding.request(this.#finding.requested.with({ sort, direction }));
  }
}

/**
 * The value of an order's option. An empty value means the gallery's own order, so the first order, whose text is
 * empty, needs another.
 * @param {View} view
 */
function valueOf(view) {
  return view.text || `sort=${view.sort}`;
}

/** @returns {HTMLOptionElement[]} */
function orderOptions() {
  const names = new Map([.../** @type {HTMLSelectElement} */ (find('#sort')).options].map(({ value, text }) => [value, text]));
  const orders = serverTables.sorts.filter(({ isRandom }) => !isRandom).flatMap((sort) => {
    const directions = [['asc', sort.ascending], ['desc', sort.descending]];
    return (sort.beginsDescending ? directions.toReversed() : directions).map(([direction, text]) => {
      const view = new View({ sort: sort.name, direction });
      // Some of these texts already contain the order's name.
      const way = text.replace(`${names.get(sort.name)}, `, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
      return new Option(`${names.get(sort.name)}: ${way}`, valueOf(view));
    });
  });
  return [new Option('Gallery default', ''), ...orders];
}
