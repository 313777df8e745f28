/** What browsers show; of other originals (HEIC, TIFF, raw) the server makes something that they do. */
const shown = /^image\/(jpeg|png|apng|gif|webp|avif|avif-sequence|svg\+xml|bmp)$/;
/** Of these, what may have several frames that are shown one after the other, and not pages. */
const played = /^image\/(png|apng|gif|webp|avif|avif-sequence)$/;
/** An original heavier than this is offered for download, not shown. Bytes. */
const heaviest = 80_000_000;

/**
 * Whether browsers show the file itself.
 * @param {import('../catalog/server.js').GalleryImage | null} image
 */
export function isShowable(image) {
  const { type, bytes = 0 } = image ?? {};
  return (!type || shown.test(type)) && bytes <= heaviest;
}

/** @param {string} type */
export function isPlayed(type) {
  return played.test(type);
}

/**
 * Browsers decode a picture as one, and what of it was not decoded in time is decoded while the page is painted: 16
 * million pixels take a tenth of a second, 280 million two, and a gigabyte of memory.
 */
const mostAtOnce = 16_000_000;

/**
 * Whether the picture has too many pixels to be shown as one. What moves has to be, and a drawing has no pixels.
 * @param {import('../catalog/server.js').GalleryImage | null} image
 */
export function isHuge(image) {
  const { type = '', frames = 1, width = 0, height = 0 } = image ?? {};
  const isStill = !(frames > 1 && isPlayed(type)) && type !== 'image/svg+xml';
  return isStill && width * height > mostAtOnce;
}

/**
 * Whether the server could not make a picture of the file: a browser's decoders are others.
 * @param {import('../catalog/problem.js').Problem} problem
 */
export function isUndecodable({ status }) {
  return status === 415 || status === 422;
}
