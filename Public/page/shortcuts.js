import { attachKey } from './key-bindings.js';
import { find } from './template.js';

/** The list of keyboard shortcuts, opened with `?`. */
export class Shortcuts {
  /** @type {HTMLDialogElement} */
  #dialog = find('#shortcuts');

  constructor() {
    attachKey('?', () => this.#toggle(), { isOfDialogs: true });
    find('#shortcuts-close').addEventListener('click', () => this.#dialog.close());
    // A click on the dialog itself is on its backdrop; its content has an element of its own.
    this.#dialog.addEventListener('click', (event) => event.target === this.#dialog && this.#dialog.close());
  }

  #toggle() {
    if (this.#dialog.open) this.#dialog.close();
    else this.#dialog.showModal();
  }
}
