import { presentScope } from './scope.js';
import { find } from './template.js';

/**
 * Tells people who listen to the page what others see happening. What is inert is not listened to, so each dialog has a
 * live region of its own.
 * @param {string} text
 */
export function announce(text) {
  find(':scope > [aria-live]', presentScope()).textContent = text;
}
