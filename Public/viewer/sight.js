import { savesData } from '../loading/sizes.js';

/**
 * The current image and its neighbours as a viewport.
 * @param {number} first  The index of the current image.
 * @param {import('./frame.js').Frame} frame
 * @param {1 | -1} direction  Of the last step.
 * @returns {import('../stream/stream.js').Sight}
 */
export function sightOf(first, { need, zoom }, direction) {
  // Zoomed in, users rarely go to the next picture soon; with data saving on, they may not go there at all.
  const [ahead, behind] = zoom.isIn || savesData() ? [0, 0] : [2, 1];
  return { first, count: 1, direction, velocity: 0, ahead, behind, ...need };
}
