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
 * @param {string | null} value  Null to forget it.
 */
export function savePreference(name, value) {
  try {
    if (value === null) localStorage.removeItem(`tessera.${name}`);
    else localStorage.setItem(`tessera.${name}`, value);
  } catch {
    // Storage is forbidden, or full.
  }
}
