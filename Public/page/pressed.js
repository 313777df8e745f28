import { presentScope } from './scope.js';

/**
 * What a letter does, wherever it is pressed and not typed.
 * @param {string} key  Small.
 * @param {() => void} act
 * @param {{isOfDialogs?: boolean}} [where]  Whether it does so while a dialog is open, too.
 */
export function attachKey(key, act, { isOfDialogs = false } = {}) {
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== key || event.defaultPrevented || isMeantElsewhere(event)) return;
    if (!isOfDialogs && presentScope() !== document.body) return;
    event.preventDefault();
    act();
  });
}

/**
 * Whether a key is a letter of a text, or the browser's or the system's.
 * @param {KeyboardEvent} event
 */
export function isMeantElsewhere(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return true;
  return /** @type {HTMLElement} */ (event.target).closest?.('input, textarea, select') !== null;
}
