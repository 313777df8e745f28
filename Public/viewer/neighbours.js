/** How many neighbours on each side serve as anchors. */
const reach = 60;

/**
 * The current image and its neighbours, the nearest first on each side, as anchors for another order.
 * @param {number} index  Negative if the viewer is closed.
 * @param {string | undefined} id
 * @param {number} total
 * @param {(index: number) => {id: string} | undefined} imageAt
 * @returns {import('../catalog/reordering.js').Anchor[]}
 */
export function neighbourhood(index, id, total, imageAt) {
  if (index < 0) return [];
  const found = id ? [{ id, index }] : [];
  for (const sign of [1, -1]) {
    for (let step = 1; step <= reach; step += 1) {
      const there = index + sign * step;
      const image = there >= 0 && there < total ? imageAt(there) : undefined;
      if (image) found.push({ id: image.id, index: there });
    }
  }
  return found;
}
