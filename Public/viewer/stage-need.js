import { mostPixels, pixelsNeeded, savesData } from '../loading/sizes.js';

/** Pixels above the largest step make no difference, and the stream accepts no more than this. */
const most = 10_000;

/**
 * What the stage needs; in steps of the zoom, so that not every turn of the wheel changes it.
 * @param {import('./zoom.js').Zoom} zoom
 * @param {{isEnlarged: boolean, isMost: boolean}} how  `isEnlarged`: take the zoom into account. `isMost`: the largest
 *   step, whatever the stage.
 * @returns {import('../loading/sizes.js').Need}
 */
export function stageNeed({ stage, scale, isIn }, { isEnlarged, isMost }) {
  const density = savesData() && !isIn ? 1 : devicePixelRatio;
  const enlarged = isEnlarged ? 2 ** Math.ceil(Math.log2(Math.max(1, scale))) : 1;
  const needed = (/** @type {number} */ side) =>
    isMost ? mostPixels() : Math.min(most, Math.max(1, Math.ceil(side * density * enlarged)));
  return { pixels: needed(stage.width), height: needed(stage.height), side: 'box' };
}

/**
 * Whether the zoom needs more pixels than any step has; a finer step comes by itself, so wait for that first.
 * @param {import('./zoom.js').Zoom} zoom
 * @param {import('../catalog/server.js').GalleryImage} image
 * @param {{side: number, pixels: number}} screen  The longer side of the rendition that is here, and the most pixels
 *   that its step has.
 * @returns {'pixels' | 'truth' | null}  What is lacking: `truth` if all pixels are here already, and the original is
 *   only more faithful than the rendition.
 */
export function lackOf({ box, scale, isIn }, image, { side, pixels }) {
  const isAll = side < pixels || side === Math.max(image.width ?? 0, image.height ?? 0);
  if (!isAll && pixels < mostPixels()) return null;
  if (!needsMore({ box, scale, isIn }, side)) return null;
  return isAll ? 'truth' : 'pixels';
}

/**
 * @param {Pick<import('./zoom.js').Zoom, 'box' | 'scale' | 'isIn'>} zoom
 * @param {number} side  The longer side of the rendition that is here, in pixels.
 */
export function needsMore({ box, scale, isIn }, side) {
  const density = savesData() && !isIn ? 1 : devicePixelRatio;
  const place = { width: box.width * scale, height: box.height * scale };
  return pixelsNeeded(place, { fit: 'contain', density, picture: box }) > side;
}
