/**
 * An element that can be inserted into the page without a flash: its pixels are decoded before it is visible.
 * @param {import('./cache.js').Picture} picture
 * @returns {Promise<HTMLImageElement>}  Rejects if the browser cannot decode the picture.
 */
export async function decode(picture) {
  const element = new Image();
  element.src = picture.url;
  await element.decode();
  return element;
}
