/** The brightness of an image: counting the levels of its histogram, drawing them, and describing them. */

/** The levels of a channel, from black to white. */
export const levelCount = 64;

/**
 * @typedef {{red: number[], green: number[], blue: number[], light: number[]}} Levels  The number of pixels for each
 *   level; `light` is the perceived brightness (Rec. 709).
 */

/**
 * @param {Uint8ClampedArray | Uint8Array} pixels  Red, green, blue, alpha. Transparent pixels do not count.
 * @returns {Levels}
 */
export function countLevels(pixels) {
  const none = () => new Array(levelCount).fill(0);
  const levels = { red: none(), green: none(), blue: none(), light: none() };
  const step = 256 / levelCount;
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3] < 128) continue;
    const [red, green, blue] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    levels.red[Math.floor(red / step)] += 1;
    levels.green[Math.floor(green / step)] += 1;
    levels.blue[Math.floor(blue / step)] += 1;
    levels.light[Math.floor((0.2126 * red + 0.7152 * green + 0.0722 * blue) / step)] += 1;
  }
  return levels;
}

/**
 * The highest column of the chart. A level far above all others (a white sky, a black border) is cut, or it would
 * flatten the rest.
 * @param {Levels} levels
 */
export function mostOf({ red, green, blue }) {
  const all = [red, green, blue].flatMap((channel) => channel.slice(1, -1)).sort((one, other) => other - one);
  return Math.max(1, all[3] ?? 0);
}

/**
 * The outline of a channel in a box of `levelCount - 1` by 100.
 * @param {number[]} channel
 * @param {number} most
 */
export function outlineOf(channel, most) {
  const points = channel.map((count, at) => `${at},${(100 - 100 * Math.min(1, count / most)).toFixed(1)}`);
  return `M0,100L${points.join('L')}L${levelCount - 1},100Z`;
}

/**
 * The text alternative of the histogram.
 * @param {Levels} levels
 */
export function describeLevels({ light }) {
  const total = light.reduce((sum, count) => sum + count, 0) || 1;
  const share = (/** @type {number} */ from, /** @type {number} */ to) =>
    Math.round((100 * light.slice(from, to).reduce((sum, count) => sum + count, 0)) / total);
  const [dark, bright] = [share(0, levelCount / 4), share((levelCount * 3) / 4, levelCount)];
  return `Histogram: ${dark}% shadows, ${100 - dark - bright}% midtones, ${bright}% highlights`;
}
