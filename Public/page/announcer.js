import { presentScope } from './scope.js';
import { find } from './template.js';

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/**
 * Announces a text to assistive technology. Inert parts of a page are not announced, so each dialog has a live region
 * of its own.
 * @param {string} text
 */
export function announce(text) {
  takeBack();
  find(':scope > [aria-live]', presentScope()).textContent = text;
}

/**
 * Announces a text after a pause, unless another one is announced first: the user's latest action matters most.
 * @param {string} text
 * @param {number} pause  Milliseconds.
 */
export function announceLater(text, pause) {
  takeBack();
  waiting = setTimeout(() => announce(text), pause);
}

/** Cancels the delayed announcement. */
export function takeBack() {
  clearTimeout(waiting);
}
