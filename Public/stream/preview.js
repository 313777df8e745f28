/**
 * A preview as an element that is ready to be displayed. Not a canvas: each of these is a layer that the browser
 * composites in every frame, and hundreds pass in a fling. Not an object URL: making and fetching one costs more than
 * these few bytes cost as text.
 * @param {string} url  A data URL.
 * @param {(element: HTMLImageElement) => void} onReady
 * @returns {HTMLImageElement}
 */
export function makePreview(url, onReady) {
  const element = new Image();
  element.className = 'slot-picture at-once';
  // An image this small is decoded while it is painted; asynchronous decoding would cost a frame without it.
  element.decoding = 'sync';
  element.addEventListener('load', () => onReady(element), { once: true });
  element.src = url;
  return element;
}

/** @param {HTMLImageElement} element */
export function isReady(element) {
  return element.complete && element.naturalWidth > 0;
}
