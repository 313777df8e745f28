import { Message } from './message.js';

/**
 * Loads what is rarely needed, on first use. If that fails, the page says so, and the next use tries again.
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
