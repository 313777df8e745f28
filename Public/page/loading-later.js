import { Message } from './message.js';
import { find } from './template.js';

/** How long to wait without a stream, when no event says that everything on screen has arrived. Milliseconds. */
const longestWait = 8_000;

/**
 * The script while it is being loaded, and once it has been loaded.
 * @type {Promise<typeof import('../later.js')> | undefined}
 */
let loading;

/** @returns {Promise<typeof import('../later.js')>}  Rejected if it cannot be loaded now. */
export function importLater() {
  loading ??= bring().then(() => import('../later.js')).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Some browsers never load a module again that they once failed to load, so the cache must have it before. */
async function bring() {
  const addresses = JSON.parse(find('#lazy-scripts').textContent || '[]');
  await Promise.all(addresses.map(async (/** @type {string} */ address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(address);
    await answer.arrayBuffer();
  }));
}

/**
 * Loads what the grid does not need, once everything on screen has arrived and the main thread has nothing to do.
 * @param {{transport: import('../loading/transport.js').Transport, connection:
 *   import('../catalog/connection.js').Connection}} parts
 * @param {(later: typeof import('../later.js')) => void} body
 */
export function whenIdle({ transport, connection }, body) {
  const load = () => importLater().then(body, () => connection.addEventListener('restored', load, { once: true }));
  // Safari has no `requestIdleCallback`.
  const wait = globalThis.requestIdleCallback ?? ((/** @type {() => void} */ act) => setTimeout(act, 200));
  const stop = new AbortController();
  const begin = () => {
    stop.abort();
    clearTimeout(timer);
    wait(load, { timeout: 2_000 });
  };
  const timer = setTimeout(begin, longestWait);
  transport.addEventListener('calm', begin, { signal: stop.signal });
}

/**
 * Loads what the grid does not need, if it is not loaded yet. If that fails, the page says so, and the next use tries
 * again.
 * @returns {Promise<typeof import('../later.js') | undefined>}
 */
export async function loadLater() {
  try {
    return await importLater();
  } catch {
    Message.show('This part of the page cannot be loaded. Try again, or reload the page.');
    return undefined;
  }
}
