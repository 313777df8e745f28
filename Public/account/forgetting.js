import { isOurs } from '../offline/cache-names.js';
import { savePreference } from '../page/memory.js';
import { databaseName } from '../stream/worker/tile-cache-name.js';

/** Removes what this browser has stored of the gallery's pictures, also where it does not obey `Clear-Site-Data`. */
export async function forgetGallery() {
  savePreference('account', null);
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    await registration?.unregister();
    const names = (await globalThis.caches?.keys()) ?? [];
    await Promise.all(names.filter(isOurs).map((name) => caches.delete(name)));
    indexedDB.deleteDatabase(databaseName);
  } catch {
    // Storage is forbidden, so nothing is stored.
  }
}
