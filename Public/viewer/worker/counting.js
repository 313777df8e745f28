import { countLevels } from '../levels.js';

/** Decodes an image small and counts its levels, off the page's thread. */

/** Pixels of the longer side; more would not change the shape of the histogram. */
const side = 256;

addEventListener('message', async (event) => {
  const { turn, blob } = event.data;
  try {
    postMessage({ turn, levels: countLevels(await pixelsOf(blob)) });
  } catch {
    postMessage({ turn, levels: null });
  }
});

/** @param {Blob} blob */
async function pixelsOf(blob) {
  const whole = await createImageBitmap(blob);
  const scale = Math.min(1, side / Math.max(whole.width, whole.height));
  const width = Math.max(1, Math.round(whole.width * scale));
  const height = Math.max(1, Math.round(whole.height * scale));
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  );
  context.drawImage(whole, 0, 0, width, height);
  whole.close();
  return context.getImageData(0, 0, width, height).data;
}
