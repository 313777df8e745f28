import { Message } from './message.js';

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
