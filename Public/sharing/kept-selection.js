/* A selection that survives a visit to the page about accounts, in the storage of the tab. */

const key = 'tessera.selection';

/** @param {string[]} images  Ids. */
export function keepSelection(images) {
  try {
    sessionStorage.setItem(key, images.join());
  } catch {
    // Storage is forbidden.
  }
}

/** @returns {string[]}  The ids of the selection, which is then forgotten. */
export function takeSelection() {
  try {
    const kept = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
    return kept.split(',').filter(Boolean);
  } catch {
    return [];
  }
}
