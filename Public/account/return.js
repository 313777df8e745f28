/** The place in the gallery that a person came from, kept while signing in. Only its query and fragment. */

const key = 'tessera.return';

/** Leaves the gallery's page for that of the account, to sign in. */
export function leaveToSignIn() {
  try {
    sessionStorage.setItem(key, location.search + location.hash);
  } catch {
    // Storage is forbidden.
  }
  location.replace('account.html');
}

/** Goes back to the gallery, to where the person came from. */
export function returnToGallery() {
  let place = '';
  try {
    place = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
  } catch {
    // Storage is forbidden.
  }
  location.replace(/^[?#]/.test(place) ? `./${place}` : './');
}
