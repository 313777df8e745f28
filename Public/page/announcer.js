import { presentScope } from './scope.js';
import { find } from './template.js';

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting;

/**
 * Tells people who listen to the page what others see happening. What is inert is not listened to, so each dialog has a
 * live region of its own.
 * @param {string} text
 */
export function announce(text) {
  takeBack();
  find(':scope > [aria-live]', presentScope()).textContent = text;
}

/**
 * The same after a pause, unless something else is told by then: what somebody has done since is of more interest.
 * @param {string} text
 * @param {number} pause  Milliseconds.
 */
export function announceLater(text, pause) {
  takeBack();
  waiting = setTimeout(() => announce(text), pause);
}

/** What was to be told later is not any more. */
export function takeBack() {
  clearTimeout(waiting);
}
