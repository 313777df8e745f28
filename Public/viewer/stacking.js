/** @typedef {{element: HTMLImageElement | null}} Stacked */

/**
 * Puts a layer's picture among the others, which arrive in any order and are stacked from coarse to fine. Only the
 * finest of them is the image for assistive technology.
 * @param {Stacked} layer
 * @param {Stacked[]} layers  From coarse to fine.
 * @param {{box: HTMLElement, top: HTMLElement, label: string}} place  `top` stays above all of them.
 */
export function stack(layer, layers, { box, top, label }) {
  const element = /** @type {HTMLImageElement} */ (layer.element);
  const at = layers.indexOf(layer);
  const above = layers.slice(at + 1).find(({ element: other }) => other?.isConnected);
  element.alt = above ? '' : label;
  for (const below of layers.slice(0, at)) below.element?.setAttribute('alt', '');
  box.insertBefore(element, above?.element ?? top);
}
