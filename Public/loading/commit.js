/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {import('../catalog/problem.js').Problem} Problem
 */

/**
 * The only door by which anything that was loaded gets into a slot. Slots are reused while their loads are under way,
 * so what arrives may belong to a showing that is long over: it is let in only if the token that it bears is the one
 * that the slot holds now.
 *
 * @param {Slot} slot
 * @param {string} token  The token that the answer bears.
 * @param {{picture: Picture, element: HTMLImageElement} | {problem: Problem}} outcome
 * @returns {boolean}  Whether it was let in.
 */
export function commit(slot, token, outcome) {
  if (slot.token !== token) return false;
  if ('picture' in outcome) slot.show(outcome.picture, outcome.element);
  else slot.fail(outcome.problem);
  return true;
}
