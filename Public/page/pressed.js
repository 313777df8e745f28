/**
 * Whether a key is a letter of a text, or the browser's or the system's.
 * @param {KeyboardEvent} event
 */
export function isMeantElsewhere(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return true;
  return /** @type {HTMLElement} */ (event.target).closest?.('input, textarea, select') !== null;
}
