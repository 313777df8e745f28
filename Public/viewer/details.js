import { formatBytes, formatNumber } from '../page/numbers.js';
import { find } from '../page/template.js';

/** What is known of the picture, beside it. */
export class Details {
  #panel = find('#details');
  #list = find('#details-list');
  #incomplete = find('#details-incomplete');
  #button = find('#viewer-details');
  #server;
  /** The image whose details are shown or asked for. */
  #id = '';

  /** @param {import('../catalog/server.js').Server} server */
  constructor(server) {
    this.#server = server;
  }

  get isOpen() {
    return !this.#panel.hidden;
  }

  /**
   * @param {import('../catalog/server.js').GalleryImage | null} image
   * @param {number} index
   */
  toggle(image, index) {
    this.#panel.hidden = this.isOpen;
    this.#button.setAttribute('aria-expanded', String(this.isOpen));
    this.show(image, index);
  }

  /**
   * At once what the page says of the image, then what its metadata says.
   * @param {import('../catalog/server.js').GalleryImage | null} image
   * @param {number} index  Where it stands in the order that is shown.
   */
  async show(image, index) {
    if (!this.isOpen || !image) return;
    this.#id = image.id;
    this.#fill({ ...image, index });
    try {
      const whole = await this.#server.image(image.id);
      if (this.#id === image.id) this.#fill({ ...image, ...whole, index });
    } catch {
      // What is shown already stays; there is no more to be had now.
    }
  }

  /** @param {Record<string, any>} image */
  #fill(image) {
    this.#incomplete.hidden = !image.incomplete;
    this.#list.replaceChildren(
      ...linesOf(image).map(([term, text]) => {
        const line = document.createElement('div');
        line.append(labelled('dt', term), labelled('dd', text));
        return line;
      }),
    );
  }
}

/**
 * @param {string} tag
 * @param {string} text
 */
function labelled(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

/**
 * What is known, in words; what is not known has no line.
 * @param {Record<string, any>} image
 * @returns {[string, string][]}
 */
function linesOf(image) {
  const camera = image.camera ?? {};
  /** @type {[string, string | undefined | false][]} */
  const lines = [
    ['Name', image.name],
    ['Number', formatNumber(image.index + 1)],
    ['Taken', image.takenAt && dateIn(image.takenAt)],
    ['Size', image.width && image.height && `${formatNumber(image.width)} × ${formatNumber(image.height)}`],
    ['File', [image.type && nameOf(image.type), image.bytes && formatBytes(image.bytes)].filter(Boolean).join(', ')],
    ['Frames', image.frames > 1 && formatNumber(image.frames)],
    ['Camera', [camera.make, camera.model].filter(Boolean).join(' ')],
    ['Lens', camera.lens],
    ['Exposure', exposureOf(camera)],
    ['Place', image.place && placeOf(image.place)],
  ];
  return /** @type {[string, string][]} */ (lines.filter(([, text]) => text));
}

/** @param {string} mediaType */
function nameOf(mediaType) {
  return mediaType.replace(/^image\/(x-)?/, '').replace(/\+xml$/, '').toUpperCase();
}

/**
 * The hour that the camera's clock showed, not that of the reader's zone.
 * @param {string} taken
 */
function dateIn(taken) {
  const clock = new Date(taken.replace(/(Z|[+-]\d\d:\d\d)$/, 'Z'));
  if (Number.isNaN(clock.getTime())) return taken;
  return clock.toLocaleString('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
}

/** @param {Record<string, number | undefined>} camera */
function exposureOf({ exposureTime, aperture, sensitivity, focalLength }) {
  const parts = [
    exposureTime && `${exposureTime >= 0.3 ? exposureTime : `1/${Math.round(1 / exposureTime)}`} s`,
    aperture && `f/${aperture}`,
    sensitivity && `ISO ${sensitivity}`,
    focalLength && `${focalLength} mm`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** @param {{latitude: number, longitude: number}} place */
function placeOf({ latitude, longitude }) {
  const degrees = (/** @type {number} */ value, /** @type {string} */ letters) =>
    `${Math.abs(value).toFixed(4)}° ${letters[value < 0 ? 1 : 0]}`;
  return `${degrees(latitude, 'NS')}, ${degrees(longitude, 'EW')}`;
}
