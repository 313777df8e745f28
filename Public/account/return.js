/** Goes back to the gallery, to the place that the address names. */
export function returnToGallery() {
  location.replace(`./${returnPlace()}`);
}

/**
 * The place in the gallery that the address names: only its query and fragment.
 * @param {{hash: string}} address
 */
export function returnPlace({ hash } = location) {
  const place = hash.match(/^#(?:from|entered)=(.*)$/)?.[1] ?? '';
  return /^[?#]/.test(place) ? place : '';
}
