import { serverTables } from '../catalog/server-tables.js';
import { mayHaveOriginal } from '../page/permissions.js';

/** A larger original is offered for download and not displayed. Bytes. */
const heaviest = 80_000_000;

/**
 * Whether browsers display the original itself, and it may be shown.
 * @param {import('../catalog/server.js').GalleryImage | null} image
 */
export function isShowable(image) {
  const { type, bytes = 0 } = image ?? {};
  return mayHaveOriginal(image) && (!type || serverTables.displayable.includes(type)) && bytes <= heaviest;
}

/**
 * Whether browsers play the image.
 * @param {{type?: string, frames?: number} | null} image
 */
export function isPlayed(image) {
  return (image?.frames ?? 1) > 1 && serverTables.animatable.includes(image?.type ?? '');
}

/**
 * Browsers decode a picture as a whole, if need be while they paint the page: 16 million pixels take 0.1 s, 280 million
 * take 2 s and a gigabyte of memory.
 */
const mostAtOnce = 16_000_000;

/**
 * Whether the image has too many pixels to be displayed as a whole. Animated images have to be, and drawings have no
 * pixels.
 * @param {import('../catalog/server.js').GalleryImage | null} image
 */
export function isHuge(image) {
  const { type = '', width = 0, height = 0 } = image ?? {};
  const isStill = !isPlayed(image) && !type.startsWith('image/svg');
  return isStill && width * height > mostAtOnce;
}

/**
 * Whether the server could not decode the file: a browser has other decoders.
 * @param {import('../catalog/problem.js').Problem} problem
 */
export function isUndecodable({ status }) {
  return status === 415 || status === 422;
}
