import { attachKey } from './pressed.js';
import { find } from './template.js';

/** What can be done by key, shown by `?` from anywhere. */
export class Shortcuts {
  /** @type {HTMLDialogElement} */
  #dialog = find('#shortcuts');

  constructor() {
    attachKey('?', () => this.#toggle(), { isOfDialogs: true });
    find('#shortcuts-close').addEventListener('click', () => this.#dialog.close());
    // The dialog's own box is its backdrop; its content has a box within.
    this.#dialog.addEventListener('click', (event) => event.target === this.#dialog && this.#dialog.close());
  }

  #toggle() {
    if (this.#dialog.open) this.#dialog.close();
    else this.#dialog.showModal();
  }
}
