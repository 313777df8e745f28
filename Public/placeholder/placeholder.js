import { decodeThumbHash } from './thumbhash.js';

/** Pixels of placeholders, by their hash: a slot that comes back is painted without decoding. */
const painted = new Map();
const kept = 1_000;

/**
 * Paints what is known of a picture before it is there.
 * @param {HTMLCanvasElement} canvas
 * @param {string | undefined} placeholder  A ThumbHash in base64.
 */
export function paintPlaceholder(canvas, placeholder) {
  const pixels = placeholder ? pixelsOf(placeholder) : null;
  canvas.hidden = !pixels;
  if (!pixels) return;
  canvas.width = pixels.width;
  canvas.height = pixels.height;
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}

/**
 * @param {string} placeholder
 * @returns {ImageData | null}
 */
function pixelsOf(placeholder) {
  let pixels = painted.get(placeholder);
  if (pixels === undefined) {
    pixels = decodeThumbHash(bytesOf(placeholder));
    painted.set(placeholder, pixels);
    if (painted.size > kept) painted.delete(painted.keys().next().value);
  }
  return pixels;
}

/** @param {string} base64 */
function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
