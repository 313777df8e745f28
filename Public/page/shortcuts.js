import { attachKey } from './key-bindings.js';
import { attachClosing } from './sheet.js';
import { find } from './template.js';

/** The list of keyboard shortcuts, opened with `?`. */
export class Shortcuts {
  /** @type {HTMLDialogElement} */
  #dialog = find('#shortcuts');

  constructor() {
    attachKey('?', () => this.#toggle(), { isOfDialogs: true });
    attachClosing(this.#dialog);
  }

  open() {
    this.#dialog.showModal();
  }

  #toggle() {
    if (this.#dialog.open) this.#dialog.close();
    else this.open();
  }
}
