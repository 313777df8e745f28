/** Preferences stored on this device. If storage is forbidden, the defaults apply. */

/** @param {string} name */
export function readPreference(name) {
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
export function savePreference(name, value) {
  try {
    localStorage.setItem(`tessera.${name}`, value);
  } catch {
    // Storage is forbidden, or full.
  }
}
