import { SingleKeys } from '../page/single-keys.js';
import { attachClosing } from '../page/sheet.js';
import { find } from '../page/template.js';
import { Theme } from './theme.js';

/** What the user may choose for this browser. Each choice applies at once. */
export class SettingsSheet {
  /** @type {HTMLDialogElement} */
  #dialog = find('#settings');
  /** @type {HTMLFormElement} */
  #form = find('#settings-form');

  /** @param {{shortcuts: import('../page/shortcuts.js').Shortcuts}} parts */
  constructor({ shortcuts }) {
    attachClosing(this.#dialog);
    this.#form.addEventListener('change', () => this.#take());
    find('#settings-shortcuts').addEventListener('click', () => {
      this.#dialog.close();
      shortcuts.open();
    });
  }

  open() {
    const theme = /** @type {RadioNodeList} */ (this.#form.elements.namedItem('theme'));
    theme.value = Theme.chosen;
    this.#keys.checked = SingleKeys.areOn;
    this.#dialog.showModal();
  }

  get #keys() {
    return /** @type {HTMLInputElement} */ (this.#form.elements.namedItem('keys'));
  }

  #take() {
    Theme.chosen = String(new FormData(this.#form).get('theme'));
    SingleKeys.areOn = this.#keys.checked;
  }
}
