import { headingOf } from '../catalog/naming.js';
import { announce } from '../page/announcer.js';
import { formatNumber } from '../page/numbers.js';
import { mayHaveOriginal } from '../page/permissions.js';
import { find } from '../page/template.js';
import { PageTitle } from '../page/title.js';

/** The text in the viewer's bars, and the links from there. */
export class Caption {
  /** What was announced last. */
  announced = '';
  #name = find('#viewer-name');
  #count = find('#viewer-count');
  #magnification = find('#viewer-magnification');
  /** @type {HTMLAnchorElement} */
  #download = find('#viewer-download');
  /** @type {HTMLAnchorElement} */
  #original = find('#viewer-open');
  /** @type {HTMLButtonElement} */
  #previous = find('#viewer-previous');
  /** @type {HTMLButtonElement} */
  #next = find('#viewer-next');

  /** @param {(step: number) => void} onTurn */
  constructor(onTurn) {
    this.#previous.addEventListener('click', () => onTurn(-1));
    this.#next.addEventListener('click', () => onTurn(1));
  }

  /** @param {import('../catalog/server.js').GalleryImage} image */
  name(image) {
    this.#name.textContent = headingOf(image);
    this.#name.title = image.name;
    PageTitle.showImage(headingOf(image));
    this.#download.href = image.links.original;
    this.#download.download = image.name;
    this.#original.href = image.links.original;
    for (const link of [this.#download, this.#original]) link.style.display = mayHaveOriginal(image) ? '' : 'none';
  }

  /**
   * @param {number} index
   * @param {number} total
   */
  count(index, total) {
    this.#count.textContent = `${formatNumber(index + 1)} of ${formatNumber(total)}`;
    this.#previous.disabled = index === 0;
    this.#next.disabled = index === total - 1;
  }

  /**
   * Announces the image, unless that has been announced already.
   * @param {string} label
   * @param {number} index
   * @param {number} total
   */
  announce(label, index, total) {
    const text = `${label}, picture ${formatNumber(index + 1)} of ${formatNumber(total)}`;
    if (text !== this.announced) announce((this.announced = text));
  }

  /** @param {import('./zoom.js').Zoom} zoom */
  magnify(zoom) {
    this.#magnification.textContent = zoom.isIn ? `${formatNumber(Math.round(zoom.magnification * 100))}%` : '';
  }
}
