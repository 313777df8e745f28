import { cloneTemplate, find } from '../page/template.js';

/**
 * Displays a text that is told only once, with a button that copies it.
 * @param {HTMLElement} place
 * @param {string} explanation
 * @param {string} text
 */
export function showSecret(place, explanation, text) {
  const shown = cloneTemplate('secret');
  find('p', shown).textContent = explanation;
  const field = /** @type {HTMLInputElement} */ (find('input', shown));
  field.value = text;
  field.setAttribute('aria-label', explanation);
  const copy = find('button', shown);
  copy.addEventListener('click', async () => {
    field.select();
    // Without TLS, browsers forbid the page to write to the clipboard; the text is selected.
    const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    copy.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
  });
  place.replaceChildren(shown);
  place.hidden = false;
  field.focus();
  field.select();
}
