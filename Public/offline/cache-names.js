/** The path under which this gallery is served, of a page and of its service worker alike: `/` or `/gallery/`. */
export function basePath() {
  return new URL('.', location.href).pathname;
}

/**
 * The name of one of this gallery's caches. Galleries and other applications on the same origin share all caches.
 * @param {string} kind
 */
export function cacheName(kind) {
  return `tessera-${kind}-1${suffix()}`;
}

/** The name of the cache of the catalog's answers. */
export function catalogCache() {
  return cacheName('catalog');
}

/**
 * Whether a cache belongs to this gallery, in this version or another.
 * @param {string} name
 */
export function isOurs(name) {
  return name.startsWith('tessera-') && name.replace(/^[^/]*/, '') === suffix();
}

function suffix() {
  const path = basePath();
  return path === '/' ? '' : path;
}
