import { Message } from './message.js';

/** How long to wait without a stream, when no event says that everything on screen has arrived. Milliseconds. */
const longestWait = 8_000;

/**
 * Loads what the grid does not need, once everything on screen has arrived and the main thread has nothing to do.
 * @param {import('../loading/transport.js').Transport} transport
 * @param {(later: typeof import('../later.js')) => void} body
 */
export function whenIdle(transport, body) {
  // If this fails, the first use tries again.
  const load = () => import('../later.js').then(body, () => {});
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
    return await import('../later.js');
  } catch {
    Message.show('This part of the page cannot be loaded. Try again, or reload.');
    return undefined;
  }
}
