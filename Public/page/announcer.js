import { find } from './template.js';

/**
 * Tells people who listen to the page what others see happening. While the viewer is open the rest of the page is
 * inert, its live region too, so the viewer has one of its own.
 * @param {string} text
 */
export function announce(text) {
  const scope = document.querySelector('dialog[open]') ?? document.body;
  find(':scope > [aria-live]', scope).textContent = text;
}
