import { find } from './template.js';

/**
 * Lets a dialog be closed by its button and by a click beside it. While it is open, the document has `data-sheet`, so
 * that the page behind it does not scroll. A selector with `:has(dialog[open])` would make the browser recompute the
 * document's style at each change of the page.
 * @param {HTMLDialogElement} dialog
 */
export function attachClosing(dialog) {
  const note = () => {
    const isOpen = document.querySelector('dialog[open]:not(#viewer)') !== null;
    document.documentElement.toggleAttribute('data-sheet', isOpen);
  };
  new MutationObserver(note).observe(dialog, { attributeFilter: ['open'] });
  find('.sheet-close', dialog).addEventListener('click', () => dialog.close());
  // A click on the dialog itself is on its backdrop; its content has an element of its own.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
}
