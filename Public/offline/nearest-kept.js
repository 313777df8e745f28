import { View } from '../catalog/view.js';
import { catalogCache } from './cache-names.js';

/** @typedef {{view: View, index: number}} KeptPlace  A slot whose page is stored. */

/**
 * The place nearest to a wanted one of which the stored responses know the images: in the same view if there is any of
 * it, or else the beginning of the view that is most like it.
 * @param {Pick<CacheStorage, 'open'>} storage
 * @param {KeptPlace} wanted
 * @returns {Promise<KeptPlace | undefined>}  Undefined if nothing is stored.
 */
export async function nearestKept(storage, { view, index }) {
  const cache = await storage.open(catalogCache());
  const pages = (await cache.keys()).map(({ url }) => new URL(url)).flatMap((url) => {
    const offset = url.searchParams.get('offset');
    if (!url.pathname.endsWith('/api/v1/images') || offset === null) return [];
    return [{ url: url.href, view: View.read(url.search), offset: Number(offset), limit: Number(url.searchParams.get('limit')) }];
  });
  const ranked = pages.map((page) => {
    const likeness = likenessOf(page.view, view);
    const at = likeness === same ? index : 0;
    const nearest = Math.max(page.offset, Math.min(at, page.offset + page.limit - 1));
    return { ...page, likeness, nearest, distance: Math.abs(nearest - at) };
  });
  ranked.sort((one, other) => other.likeness - one.likeness || one.distance - other.distance);
  for (const { url, view: kept, offset, nearest } of ranked) {
    const { images } = await (await cache.match(url, { ignoreVary: true }))?.json() ?? { images: [] };
    if (images.length > 0) return { view: kept, index: Math.min(nearest, offset + images.length - 1) };
  }
  return undefined;
}

const same = 4;

/**
 * @param {View} kept
 * @param {View} wanted
 * @returns {number}  The higher, the better it stands in for the wanted view.
 */
function likenessOf(kept, wanted) {
  if (kept.equals(wanted)) return same;
  // The results of another search would look as if they were those of this one.
  if (kept.q !== '') return 0;
  if (kept.folder === wanted.folder) return kept.sort === wanted.sort ? 3 : 2;
  return kept.folder === '' ? 1 : 0;
}
