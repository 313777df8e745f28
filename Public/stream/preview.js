/**
 * A preview as an element that is ready to be shown. Not a canvas: each of those is a layer of its own for the browser to
 * put together in every frame, and hundreds pass in a fling. Not an object URL: what it costs to make and to fetch is
 * more than what so few bytes cost as text.
 * @param {string} url  With the bytes in it.
 * @param {(element: HTMLImageElement) => void} onReady
 * @returns {HTMLImageElement}
 */
export function makePreview(url, onReady) {
  const element = new Image();
  element.className = 'slot-picture at-once';
  // So small a picture is decoded while it is painted; later would be a frame without it.
  element.decoding = 'sync';
  element.addEventListener('load', () => onReady(element), { once: true });
  element.src = url;
  return element;
}

/** @param {HTMLImageElement} element */
export function isReady(element) {
  return element.complete && element.naturalWidth > 0;
}
