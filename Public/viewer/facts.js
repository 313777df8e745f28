import { dateIn } from '../catalog/naming.js';
import { formatBytes, formatNumber } from '../page/numbers.js';

/**
 * @typedef {{make?: string, model?: string, lens?: string, exposureTime?: number, aperture?: number, sensitivity?:
 *   number, focalLength?: number}} Camera  Seconds, f-number, ISO, millimetres.
 * @typedef {{latitude: number, longitude: number, altitude?: number}} Place  Degrees, and metres above sea level.
 */

/**
 * The metadata of an image as lines of text; unknown members have no line.
 * @param {Record<string, any>} image  As the server describes it.
 * @returns {[string, string][]}
 */
export function linesOf(image) {
  const camera = image.camera ?? {};
  /** @type {[string, string | undefined | false][]} */
  const lines = [
    ['Name', image.name],
    ['Title', image.title],
    ['Taken', image.takenAt && dateIn(image) + (image.takenFrom === 'name' ? ' (from the file name)' : '')],
    ['Dimensions', image.width && image.height && sizeOf(image)],
    ['File', [image.type && typeName(image.type), image.bytes && formatBytes(image.bytes)].filter(Boolean).join(', ')],
    ['Frames', image.frames > 1 && formatNumber(image.frames)],
    ['Camera', cameraOf(camera)],
    ['Lens', camera.lens],
    ['Exposure', exposureOf(camera)],
    ['Rating', image.rating && (image.rating < 0 ? 'Rejected' : `${image.rating} of 5`)],
    ['Keywords', image.keywords?.join(', ')],
  ];
  return /** @type {[string, string][]} */ (lines.filter(([, text]) => text));
}

/** @param {Record<string, any>} image */
function sizeOf({ width, height }) {
  const megapixels = (width * height) / 1e6;
  const size = `${formatNumber(width)} × ${formatNumber(height)}`;
  return megapixels >= 0.95 ? `${size}, ${rounded(megapixels, megapixels < 10 ? 1 : 0)} megapixels` : size;
}

/** @param {string} mediaType */
function typeName(mediaType) {
  return mediaType.replace(/^image\/(x-|vnd\.)?/, '').replace(/\+xml(-compressed)?$/, '').toUpperCase();
}

/**
 * Many makers repeat their name in the model's.
 * @param {Camera} camera
 */
export function cameraOf({ make = '', model = '' }) {
  const [maker] = make.toLowerCase().split(' ');
  const isTwice = maker !== '' && `${model.toLowerCase()} `.startsWith(`${maker} `);
  return [isTwice ? '' : make, model].filter(Boolean).join(' ');
}

/**
 * Rounded as photographers write it: cameras record more digits than they can set.
 * @param {Camera} camera
 */
export function exposureOf({ exposureTime, aperture, sensitivity, focalLength }) {
  const parts = [
    exposureTime && `${exposureTime >= 0.3 ? rounded(exposureTime, 1) : `1/${rounded(1 / exposureTime, 0)}`} s`,
    aperture && `f/${rounded(aperture, 1)}`,
    sensitivity && `ISO ${sensitivity}`,
    focalLength && `${rounded(focalLength, focalLength < 10 ? 1 : 0)} mm`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/**
 * @param {number} value
 * @param {number} digits  The most digits after the point.
 */
function rounded(value, digits) {
  return String(Number(value.toFixed(digits)));
}

/** @param {Place} place */
export function coordinatesOf({ latitude, longitude }) {
  const degrees = (/** @type {number} */ value, /** @type {string} */ letters) =>
    `${Math.abs(value).toFixed(4)}° ${letters[value < 0 ? 1 : 0]}`;
  return `${degrees(latitude, 'NS')}, ${degrees(longitude, 'EW')}`;
}

/**
 * The address of a map. Nothing is requested from it before the user follows the link.
 * @param {Place} place
 */
export function mapOf({ latitude, longitude }) {
  const [north, east] = [latitude, longitude].map((degrees) => degrees.toFixed(5));
  return `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=15/${north}/${east}`;
}

/**
 * The folders from the gallery down to the image's.
 * @param {string} folder  Its path.
 */
export function trailOf(folder) {
  const names = folder.split('/');
  return names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') }));
}
