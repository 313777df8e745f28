/** @typedef {{width?: number, height?: number}} Sized */

/** @param {{width: number, height: number}} size */
export function aspectOf({ width, height }) {
  return width / height;
}

/** @param {Sized | null} image */
export function isSizeKnown(image) {
  return Boolean(image?.width && image.height);
}

/**
 * An image's size as far as it is known; `isLeast`: it may be larger.
 * @param {Sized | null} image
 * @param {HTMLImageElement | null} fine  A rendition that is as large as the image, or as large as renditions get.
 * @param {(HTMLImageElement | HTMLCanvasElement | null)[]} coarse  Others, the largest first.
 * @returns {{width: number, height: number, isLeast: boolean}}
 */
export function naturalSize(image, fine, coarse) {
  const { width, height } = image ?? {};
  if (width && height) return { width, height, isLeast: false };
  const best = fine ?? coarse.find((element) => element !== null) ?? { width: 1, height: 1 };
  const size = best instanceof HTMLImageElement ? { width: best.naturalWidth, height: best.naturalHeight } : best;
  return { width: size.width || 1, height: size.height || 1, isLeast: !fine };
}
