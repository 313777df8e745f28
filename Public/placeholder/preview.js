import { dropPlaceholder } from './placeholder.js';

/**
 * Puts a preview where the placeholder was. A canvas this small is kept in plain memory, so that drawing on it costs
 * some ten microseconds: hundreds a second are no burden.
 * @param {HTMLCanvasElement} canvas
 * @param {ImageBitmap} bitmap
 */
export function paintPreview(canvas, bitmap) {
  dropPlaceholder(canvas);
  const { width, height } = bitmap;
  // Setting the size clears the canvas, whatever was on it.
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  canvas.hidden = false;
}
