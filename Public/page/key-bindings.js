import { presentScope } from './scope.js';
import { SingleKeys } from './single-keys.js';

/**
 * Binds a letter to an action, except while the user is typing text.
 * @param {string} key  In lower case.
 * @param {() => void} act
 * @param {{isOfDialogs?: boolean}} where  Whether it also works while a dialog is open.
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
 * Whether the key is text input, belongs to the browser or the system, or is switched off.
 * @param {KeyboardEvent} event
 */
export function isMeantElsewhere(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || SingleKeys.isOff(event.key)) return true;
  return /** @type {HTMLElement} */ (event.target).closest?.('input, textarea, select') !== null;
}
