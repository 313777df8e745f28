/**
 * @typedef {import('./slot.js').Slot} Slot
 * @typedef {import('./cache.js').Picture} Picture
 * @typedef {import('../catalog/problem.js').Problem} Problem
 * @typedef {{picture: Picture, element: HTMLImageElement, pixels: number} | {preview: HTMLImageElement} | {problem: Problem}} Outcome
 */

/**
 * The only door by which anything loaded gets into a slot. Slots are reused while their loads are in flight, so a
 * response may belong to a display that is long over: it is accepted only if it carries the token that the slot has
 * now.
 *
 * @param {Slot} slot
 * @param {string} token  The token in the response.
 * @param {Outcome & {image?: string}} outcome  `image`: the id of the image, if the response names it.
 * @returns {boolean}  Whether it was accepted.
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
