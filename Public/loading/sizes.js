import { assumedAspect } from '../catalog/aspect.js';
import { serverTables } from '../catalog/server-tables.js';

/**
 * How many pixels a place needs of an image, and which rendition has them.
 *
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {{width: number, height: number}} Size
 * @typedef {{pixels: number, side: 'longer' | 'shorter' | 'height' | 'box', height?: number, saveData?: true}} Need
 *   What a place needs, in the terms of the stream: device pixels of the `side`; for a `box`, `pixels` is its width and
 *   `height` its height.
 */

/**
 * The device pixels that an image's longer side needs, so that each pixel of the place has one of its own.
 * @param {Size} place  In CSS pixels.
 * @param {{fit: 'cover' | 'contain', density: number, picture?: Partial<Size> | null}} how  `cover`: the image fills
 *   the place and is cut at two sides. `density`: device pixels per CSS pixel.
 */
export function pixelsNeeded({ width, height }, { fit, density, picture }) {
  const ratio = ratioOf(picture);
  const across = fit === 'cover' ? Math.max(width, height * ratio) : Math.min(width, height * ratio);
  // Rounding errors must not add a pixel.
  return Math.ceil(Math.max(across, across / ratio) * density - 1e-6);
}

/** @param {Partial<Size> | null} [picture] */
function ratioOf(picture) {
  return picture?.width && picture.height ? picture.width / picture.height : assumedAspect;
}

/**
 * The smallest step with so many pixels on the longer side, or `full` if none has so many. No image can have more
 * pixels than its original.
 * @param {number} pixels
 * @param {Partial<Size> | null} [picture]
 * @returns {Rendition}
 */
export function renditionWith(pixels, picture) {
  const own = picture?.width && picture.height ? Math.max(picture.width, picture.height) : Infinity;
  return serverTables.steps.find((step) => step.pixels >= Math.min(pixels, own))?.name ?? 'full';
}

/**
 * The rendition that a place needs; the server computes the same for the stream.
 * @param {Need | null} need
 * @param {Partial<Size> | null} [picture]
 * @returns {Rendition}
 */
export function stepFor(need, picture) {
  if (!need) return 'tile';
  const { pixels, side, height = pixels, saveData } = need;
  const place = side === 'height' ? { width: Infinity, height: pixels } : { width: pixels, height };
  const needed = pixelsNeeded(place, { fit: side === 'shorter' ? 'cover' : 'contain', density: 1, picture });
  return renditionWith(Math.min(needed, saveData ? pixelsOf('tile') : mostPixels()), picture);
}

/**
 * The most pixels that a rendition has on the longer side; 0 if it is no step.
 * @param {string} name
 */
export function pixelsOf(name) {
  if (name === 'full' || name === 'original') return Infinity;
  return serverTables.steps.find((step) => step.name === name)?.pixels ?? 0;
}

/** The pixels of the largest step, on the longer side. */
export function mostPixels() {
  return serverTables.steps.at(-1)?.pixels ?? 0;
}

/**
 * The best step available: the smallest with enough pixels, or else the largest.
 * @param {string} needed  A step.
 * @param {(name: Rendition) => boolean} isHere
 * @returns {Rendition | undefined}
 */
export function bestStep(needed, isHere) {
  const here = serverTables.steps.filter(({ name }) => isHere(name));
  return (here.find(({ pixels }) => pixels >= pixelsOf(needed)) ?? here.at(-1))?.name;
}

/** Whether the user asked the browser to save data. */
export function savesData() {
  return Boolean(navigator.connection?.saveData);
}

/**
 * @param {Need} one
 * @param {Need} other
 */
export function needsSame(one, other) {
  return (
    one.pixels === other.pixels && one.side === other.side && one.height === other.height &&
    one.saveData === other.saveData
  );
}
