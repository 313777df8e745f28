/** So many on each side are looked for when the picture that is looked at is gone. */
const reach = 60;

/**
 * The picture that is looked at, and its neighbours, the nearest first on each side: by them the place is found again in
 * another order.
 * @param {number} index  Negative where none is looked at.
 * @param {string | undefined} id
 * @param {number} total
 * @param {(index: number) => {id: string} | undefined} imageAt
 * @returns {import('../catalog/reordering.js').Landmark[]}
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
