/**
 * @typedef {Pick<import('./slot.js').Slot, 'attempts'>} Slot  Or anything else that retries.
 * @typedef {import('../catalog/problem.js').Problem} Problem
 */

/** When and how often a slot retries by itself while the server is busy. */

/** Failed requests per display. */
export const mostAttempts = 3;
/** With a longer `Retry-After` the slot displays the reason, and the user decides. Seconds. */
export const longestWait = 30;
/** Seconds. */
const shortestWait = 0.2;

/**
 * @param {Slot} slot
 * @param {Problem} problem
 */
export function isWorthWaiting(slot, problem) {
  return problem.isBusy && slot.attempts < mostAttempts && waitFor(slot, problem) <= longestWait;
}

/**
 * Seconds until the slot may retry: as the server says, or else a little longer each time.
 * @param {Slot} slot
 * @param {Problem} problem
 */
export function waitFor(slot, problem) {
  return Math.max(shortestWait, problem.retryAfter ?? slot.attempts + 1);
}
