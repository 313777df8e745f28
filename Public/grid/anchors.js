import { pageSize } from '../catalog/pending-order.js';

/**
 * The known images from a slot on, and then those before it, nearest first.
 * @param {number} index
 * @param {number} total
 * @param {(index: number) => {id: string} | undefined} imageAt
 * @param {number} [undatedFrom]  The first slot of the images without a date.
 * @returns {import('../catalog/reordering.js').Anchor[]}
 */
export function anchorsFrom(index, total, imageAt, undatedFrom = Infinity) {
  const reach = 2 * pageSize;
  const found = [];
  for (let at = index; at < Math.min(total, index + reach); at += 1) found.push(at);
  for (let at = index - 1; at > Math.max(-1, index - reach); at -= 1) found.push(at);
  return found.flatMap((at) => {
    const image = imageAt(at);
    return image ? { id: image.id, index: at, isUndated: at >= undatedFrom } : [];
  });
}
