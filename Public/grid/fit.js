/** The share of an image that may be cut for it to fill its slot. */
const cut = 0.03;

/**
 * Whether the image fills the slot with almost nothing cut. In whole pixels, small images only approximate the aspect
 * ratio of their originals.
 * @param {{naturalWidth: number, naturalHeight: number}} picture
 * @param {{width: number, height: number}} box
 */
export function fills({ naturalWidth, naturalHeight }, { width, height }) {
  const doubt = 0.5 / Math.max(1, Math.min(naturalWidth, naturalHeight));
  return Math.abs(Math.log((naturalWidth * height) / (naturalHeight * width))) <= cut + doubt;
}

/**
 * The part of its slot that an image takes up when all of it is displayed, as a shape of CSS.
 * @param {{naturalWidth: number, naturalHeight: number}} picture
 * @param {{width: number, height: number}} box
 */
export function shapeOfWhole({ naturalWidth, naturalHeight }, { width, height }) {
  const across = Math.min(1, (naturalWidth * height) / (naturalHeight * width));
  const down = Math.min(1, (naturalHeight * width) / (naturalWidth * height));
  const margin = (/** @type {number} */ part) => `${(50 * (1 - part)).toFixed(3)}%`;
  return `inset(${margin(down)} ${margin(across)})`;
}
