/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {{picture: Picture, element: HTMLImageElement, pixels: number} | {preview: HTMLImageElement} | {problem: Problem}} Outcome
 */

/**
 * The only door by which anything that was loaded gets into a slot. Slots are reused while their loads are under way,
 * so what arrives may belong to a showing that is long over: it is let in only if the token that it bears is the one
 * that the slot holds now.
 *
 * @param {Slot} slot
 * @param {string} token  The token that the answer bears.
 * @param {Outcome & {image?: string}} outcome  `image`: whose it is, where the answer says so.
 * @returns {boolean}  Whether it was let in.
 */
export function commit(slot, token, outcome) {
  if (slot.token !== token) return false;
  if (outcome.image !== undefined && outcome.image !== slot.image?.id) return false;
  if ('preview' in outcome) {
    slot.showPreview(outcome.preview);
  } else if ('picture' in outcome) {
    slot.pixels = outcome.pixels;
    slot.show(outcome.picture, outcome.element);
  } else {
    slot.fail(outcome.problem);
  }
  return true;
}
