/**
 * The addresses of an image's renditions, relative to the page; `v` changes with the image's content. The server's own links
 * also name the reader, for programs without cookies. The page has cookies, and the same address whoever is signed in.
 */

/**
 * @param {string} image  Its id.
 * @param {string | null} version  Null while the content is unknown.
 * @returns {import('./server.js').Links}
 */
export function linksOf(image, version) {
  const end = version ? `?v=${version}` : '';
  return {
    preview: `images/${image}/preview${end}`,
    tile: `images/${image}/tile${end}`,
    screen: `images/${image}/screen${end}`,
    original: `images/${image}/original${end}`,
  };
}

/**
 * @param {import('./server.js').GalleryImage} image
 * @param {import('./server.js').Rendition | 'pyramid'} rendition
 */
export function linkTo(image, rendition) {
  if (rendition in image.links) return image.links[/** @type {keyof import('./server.js').Links} */ (rendition)];
  const version = versionIn(image.links.tile);
  return `images/${image.id}/${rendition}${version ? `?v=${version}` : ''}`;
}

/**
 * The version in a link; null if there is none.
 * @param {string} link
 */
export function versionIn(link) {
  return link.match(/\?v=(\w+)/)?.[1] ?? null;
}

/**
 * Whether `image` is a different version of the image that the page knows as `known`. False if the version of `known`
 * is unknown.
 * @param {import('./server.js').GalleryImage} image
 * @param {import('./server.js').GalleryImage} known
 */
export function isOtherVersion(image, known) {
  const version = versionIn(known.links.tile);
  return version !== null && version !== versionIn(image.links.tile);
}
