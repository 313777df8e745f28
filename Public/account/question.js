import { cloneTemplate, find } from '../page/template.js';

/**
 * Asks before something that cannot be undone. Escape means no, and the focus returns to where it was.
 * @param {string} title
 * @param {string} text
 * @param {string} action  What the button for yes says.
 * @returns {Promise<boolean>}
 */
export function isConfirmed(title, text, action) {
  const dialog = /** @type {HTMLDialogElement} */ (cloneTemplate('question'));
  find('h2', dialog).textContent = title;
  find('p', dialog).textContent = text;
  const [no, yes] = dialog.querySelectorAll('button');
  yes.textContent = action;
  no.addEventListener('click', () => dialog.close());
  yes.addEventListener('click', () => dialog.close('yes'));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
