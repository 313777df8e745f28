/**
 * How many pixels a place needs of a picture, and which rendition has them. Pure.
 *
 * @typedef {import('../catalog/server.js').Rendition} Rendition
 * @typedef {{width: number, height: number}} Size
 * @typedef {{pixels: number, side: 'longer' | 'shorter' | 'height' | 'box', height?: number, saveData?: true}} Need  What a
 *   place needs of its picture, in the words of the stream: device pixels of the `side`; of a `box` those across, and
 *   `height` from top to bottom.
 */

/** Of a picture whose proportions are not known: those of most cameras. */
const usualRatio = 1.5;

/**
 * What stays on screen, the smallest first; the pixels are of the longer side.
 * @type {{name: Rendition, pixels: number}[]}
 */
export const steps = [
  { name: '160', pixels: 160 },
  { name: 'tile', pixels: 320 },
  { name: '640', pixels: 640 },
  { name: '1280', pixels: 1_280 },
  { name: 'screen', pixels: 1_600 },
  { name: '2560', pixels: 2_560 },
];

/**
 * Device pixels that a picture's longer side needs, so that each pixel of its place has one of its own.
 * @param {Size} place  In CSS pixels.
 * @param {{fit: 'cover' | 'contain', density: number, picture?: Partial<Size> | null}} how  `cover`: the picture fills
 *   the place and is cut at two sides. `density`: device pixels for each CSS pixel.
 */
export function pixelsNeeded({ width, height }, { fit, density, picture }) {
  const ratio = ratioOf(picture);
  const across = fit === 'cover' ? Math.max(width, height * ratio) : Math.min(width, height * ratio);
  // What is a hair more than a whole number is that number.
  return Math.ceil(Math.max(across, across / ratio) * density - 1e-6);
}

/** @param {Partial<Size> | null} [picture] */
function ratioOf(picture) {
  return picture?.width && picture.height ? picture.width / picture.height : usualRatio;
}

/**
 * The smallest rendition with so many pixels on the longer side; `full` where none of the steps has so many. More than it
 * has itself no picture can give.
 * @param {number} pixels
 * @param {Partial<Size> | null} [picture]
 * @returns {Rendition}
 */
export function renditionWith(pixels, picture) {
  const own = picture?.width && picture.height ? Math.max(picture.width, picture.height) : Infinity;
  return steps.find((step) => step.pixels >= Math.min(pixels, own))?.name ?? 'full';
}

/**
 * The rendition that a place needs of its picture; the stream's server finds the same.
 * @param {Need | null} need
 * @param {Partial<Size> | null} [picture]
 * @returns {Rendition}
 */
export function stepFor(need, picture) {
  if (!need) return 'tile';
  const { pixels, side, height = pixels, saveData } = need;
  const place = side === 'height' ? { width: Infinity, height: pixels } : { width: pixels, height };
  const needed = pixelsNeeded(place, { fit: side === 'shorter' ? 'cover' : 'contain', density: 1, picture });
  return renditionWith(Math.min(needed, pixelsOf(saveData ? 'tile' : '2560')), picture);
}

/**
 * Pixels of the longer side that a rendition has at the most; 0 of what is no step.
 * @param {string} name
 */
export function pixelsOf(name) {
  if (name === 'full' || name === 'original') return Infinity;
  return steps.find((step) => step.name === name)?.pixels ?? 0;
}

/**
 * Of what is here, what serves best: the smallest that has as many pixels as are needed, or else the largest.
 * @param {string} needed  A step.
 * @param {(name: Rendition) => boolean} isHere
 * @returns {Rendition | undefined}
 */
export function bestStep(needed, isHere) {
  const here = steps.filter(({ name }) => isHere(name));
  return (here.find(({ pixels }) => pixels >= pixelsOf(needed)) ?? here.at(-1))?.name;
}

/** Whether whoever looks pays for what is sent, and has said so. */
export function savesData() {
  // @ts-expect-error `connection` is known to Chromium alone.
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
