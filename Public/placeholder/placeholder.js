import { decodeThumbHash } from './thumbhash.js';

/** Pixels of placeholders, by their hash: a slot that comes back is painted without decoding. */
const painted = new Map();
const kept = 1_000;

/** How long in a frame hashes are decoded. Milliseconds. */
const slice = 3;

/**
 * The canvases that wait to be painted.
 * @type {Map<HTMLCanvasElement, string>}
 */
const waiting = new Map();

/**
 * Paints what is known of a picture as soon as it costs nobody a frame: a page of pictures makes a screen of them known
 * at once.
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
 * Nothing is known of what belongs on the canvas, or something better.
 * @param {HTMLCanvasElement} canvas
 */
export function dropPlaceholder(canvas) {
  waiting.delete(canvas);
  canvas.hidden = true;
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
