/**
 * @typedef {Pick<import('./slot.js').Slot, 'attempts'>} Slot  Or whatever else tries again.
 * @typedef {import('../catalog/problem.js').Problem} Problem
 */

/** How long a slot waits by itself, and how often, for a server that asks for patience. */

/** Requests made in vain for one showing. */
export const mostAttempts = 3;
/** Seconds; who is asked for more patience than that shows the reason, and a person decides. */
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
 * Seconds until the slot may ask again: as the server says, or else a little longer each time.
 * @param {Slot} slot
 * @param {Problem} problem
 */
export function waitFor(slot, problem) {
  return Math.max(shortestWait, problem.retryAfter ?? slot.attempts + 1);
}
