import { pixelsNeeded, pixelsOf, savesData } from '../loading/sizes.js';

/** What is above the largest step decides nothing, and is more than the stream takes. Pixels. */
const most = 10_000;

/**
 * What the stage needs of a picture; in steps of the zoom, so that not every turn of a wheel asks for more.
 * @param {import('./zoom.js').Zoom} zoom
 * @param {{isEnlarged: boolean, isMost: boolean}} how  `isEnlarged`: as many as the zoom makes of it. `isMost`: the most
 *   that there is, whatever the stage.
 * @returns {import('../loading/sizes.js').Need}
 */
export function stageNeed({ stage, scale, isIn }, { isEnlarged, isMost }) {
  const density = savesData() && !isIn ? 1 : devicePixelRatio;
  const enlarged = isEnlarged ? 2 ** Math.ceil(Math.log2(Math.max(1, scale))) : 1;
  const needed = (/** @type {number} */ side) =>
    isMost ? pixelsOf('2560') : Math.min(most, Math.max(1, Math.ceil(side * density * enlarged)));
  return { pixels: needed(stage.width), height: needed(stage.height), side: 'box' };
}

/**
 * Whether a picture is looked at so closely that the steps have too few pixels for it; what is finer of them comes by
 * itself, and is waited for.
 * @param {import('./zoom.js').Zoom} zoom
 * @param {import('../catalog/server.js').GalleryImage} image
 * @param {{side: number, pixels: number}} screen  Pixels of the longer side of what is here, and what its step has at
 *   the most.
 * @returns {'pixels' | 'truth' | null}  What is lacking: `truth` where all pixels are here already, and the file itself
 *   is only truer than what was made of it.
 */
export function lackOf({ box, scale, isIn }, image, { side, pixels }) {
  const isAll = side < pixels || side === Math.max(image.width ?? 0, image.height ?? 0);
  if (!isAll && pixels < pixelsOf('2560')) return null;
  if (!needsMore({ box, scale, isIn }, side)) return null;
  return isAll ? 'truth' : 'pixels';
}

/**
 * @param {Pick<import('./zoom.js').Zoom, 'box' | 'scale' | 'isIn'>} zoom
 * @param {number} side  Pixels of the longer side of what is here.
 */
export function needsMore({ box, scale, isIn }, side) {
  const density = savesData() && !isIn ? 1 : devicePixelRatio;
  const place = { width: box.width * scale, height: box.height * scale };
  return pixelsNeeded(place, { fit: 'contain', density, picture: box }) > side;
}
