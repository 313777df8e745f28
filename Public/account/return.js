/** Goes back to the gallery, to the place that the address names: only its query and fragment. */
export function returnToGallery() {
  const place = location.hash.match(/^#from=(.*)$/)?.[1] ?? '';
  location.replace(/^[?#]/.test(place) ? `./${place}` : './');
}
