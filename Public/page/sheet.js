import { find } from './template.js';

/**
 * Lets a dialog be closed by its button and by a click beside it.
 * @param {HTMLDialogElement} dialog
 */
export function attachClosing(dialog) {
  find('.sheet-close', dialog).addEventListener('click', () => dialog.close());
  // A click on the dialog itself is on its backdrop; its content has an element of its own.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
}
