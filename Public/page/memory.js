/** What this device remembers of how people like the page. Storage can be forbidden; then everything starts as it is. */

/** @param {string} name */
export function recall(name) {
  try {
    return localStorage.getItem(`tessera.${name}`);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
  try {
    localStorage.setItem(`tessera.${name}`, value);
  } catch {
    // As above.
  }
}
