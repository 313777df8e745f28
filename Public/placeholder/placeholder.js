import { decodeThumbHash } from './thumbhash.js';

/** The pixels of placeholders, by hash: a slot that comes back is painted without decoding. */
const painted = new Map();
const kept = 1_000;

/** Time per frame for decoding hashes. Milliseconds. */
const slice = 3;

/**
 * The canvases to be painted.
 * @type {Map<HTMLCanvasElement, string>}
 */
const waiting = new Map();

/**
 * Paints a placeholder as soon as that delays no frame: a page of the catalog reveals a whole screen of them at once.
 * @param {HTMLCanvasElement} canvas
 * @param {string | undefined} placeholder  A ThumbHash in base64.
 */
export function paintPlaceholderSoon(canvas, placeholder) {
  dropPlaceholder(canvas);
  if (!placeholder) return;
  if (waiting.size === 0) requestAnimationFrame(paintWaiting);
  waiting.set(canvas, placeholder);
}

/**
 * Removes the placeholder: it is unknown, or no longer needed.
 * @param {HTMLCanvasElement} canvas
 */
export function dropPlaceholder(canvas) {
  waiting.delete(canvas);
  // Even writing the same value makes the browser recompute the style.
  if (!canvas.hidden) canvas.hidden = true;
}

function paintWaiting() {
  const end = performance.now() + slice;
  for (const [canvas, placeholder] of waiting) {
    waiting.delete(canvas);
    paintPlaceholder(canvas, placeholder);
    if (performance.now() > end) break;
  }
  if (waiting.size > 0) requestAnimationFrame(paintWaiting);
}

/**
 * Paints the placeholder of an image at once.
 * @param {HTMLCanvasElement} canvas
 * @param {string | undefined} placeholder  A ThumbHash in base64.
 */
export function paintPlaceholder(canvas, placeholder) {
  const pixels = placeholder ? pixelsOf(placeholder) : null;
  if (canvas.hidden === Boolean(pixels)) canvas.hidden = !pixels;
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
