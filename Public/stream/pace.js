/**
 * The pace of a scroll, in screens per second.
 *
 * @typedef {{velocity: number, count: number}} Pace  Slots per second, and slots on a screen.
 */

/** At a faster pace, a tile would be gone before anybody saw it. */
const fast = 3;
/** At a faster pace, the server sends only previews, and nothing else may share the link with them. */
const brisk = 1;

/** @param {Pace} pace */
export function isFast({ velocity, count }) {
  return velocity > fast * count;
}

/** @param {Pace} pace */
export function isBrisk({ velocity, count }) {
  return velocity > brisk * count;
}

/**
 * @param {number} velocity  Pixels per millisecond, in either direction.
 * @param {number} height  Of the screen.
 */
export function isFastByPixels(velocity, height) {
  return isFast({ velocity: Math.abs(velocity) * 1_000, count: height });
}
