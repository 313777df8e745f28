import { Motion } from '../page/motion.js';

/** The animation of an image growing out of its slot and shrinking back into it. */

const milliseconds = 240;
const slowly = 900;
const easing = 'cubic-bezier(0.2, 0, 0, 1)';

/**
 * @param {HTMLElement} box  The image in the viewer, where the animation ends.
 * @param {DOMRect} slot  Where it starts.
 * @returns {Promise<unknown>}
 */
export function growFrom(slot, box) {
  return play(box, [inSlot(slot, box), { transform: 'none', clipPath: 'inset(0)' }]);
}

/**
 * @param {DOMRect} slot
 * @param {HTMLElement} box
 */
export function shrinkTo(slot, box) {
  const now = getComputedStyle(box).transform;
  return play(box, [{ transform: now, clipPath: 'inset(0)' }, inSlot(slot, box)]);
}

/**
 * @param {HTMLElement} element
 * @param {'in' | 'out'} way
 * @param {number} [from]  The opacity at the start of a fade-out.
 */
export function fade(element, way, from = 1) {
  return play(element, way === 'in' ? [{ opacity: 0 }, { opacity: 1 }] : [{ opacity: from }, { opacity: 0 }]);
}

/**
 * Fades from one image to another; if their shapes differ, the background shows through.
 * @param {HTMLElement} before  A frame that is already out of sight.
 * @param {HTMLElement} after
 */
export function crossFade(before, after) {
  play(before, [{ opacity: 1, transform: 'none' }, { opacity: 0, transform: 'none' }], slowly);
  play(after, [{ opacity: 0 }, { opacity: 1 }], slowly);
}

/**
 * @param {HTMLElement} element
 * @param {string} from  A transform.
 * @param {string} to
 */
export function glide(element, from, to) {
  return play(element, [{ transform: from || 'none' }, { transform: to || 'none' }]);
}

/**
 * @param {HTMLElement} element
 * @param {Keyframe[]} keyframes
 * @param {number} [duration]
 */
function play(element, keyframes, duration = milliseconds) {
  if (Motion.isReduced) return Promise.resolve();
  const animation = element.animate(keyframes, { duration, easing, fill: 'both' });
  // A finished animation would override styles that the page sets later.
  return animation.finished.catch(() => {}).finally(() => animation.cancel());
}

/**
 * The box as it looks in its slot: covering the square, cut at its edges.
 * @param {DOMRect} slot
 * @param {HTMLElement} box
 * @returns {Keyframe}
 */
function inSlot(slot, box) {
  const width = box.offsetWidth;
  const height = box.offsetHeight;
  const stage = /** @type {HTMLElement} */ (box.offsetParent).getBoundingClientRect();
  const scale = Math.max(slot.width / width, slot.height / height);
  const across = slot.left + slot.width / 2 - (stage.left + stage.width / 2);
  const down = slot.top + slot.height / 2 - (stage.top + stage.height / 2);
  const cutAcross = Math.max(0, (width - slot.width / scale) / 2);
  const cutDown = Math.max(0, (height - slot.height / scale) / 2);
  return {
    transform: `translate(${across}px, ${down}px) scale(${scale})`,
    clipPath: `inset(${cutDown}px ${cutAcross}px)`,
  };
}
