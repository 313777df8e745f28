import { formatNumber } from '../page/numbers.js';
import { find } from '../page/template.js';
import { coordinatesOf, linesOf, mapOf, trailOf } from './facts.js';
import { Histogram } from './histogram.js';
import { attachPullDown } from './pull-down.js';

/** The panel with an image's details. */
export class Details {
  #panel = find('#details');
  #list = find('#details-list');
  #problem = find('#details-problem');
  #button = find('#viewer-details');
  #histogram = new Histogram();
  #hrefOf;

  /**
   * @param {{hrefOf: (folder: string) => string, onFolder: (folder: string) => void, onPullDown: () => void}} parts
   *   `hrefOf`: the address of a folder's view. `onFolder` is called when the user opens a folder, `onPullDown` when a
   *   finger pulls the panel down.
   */
  constructor({ hrefOf, onFolder, onPullDown }) {
    attachPullDown(this.#panel, onPullDown);
    this.#hrefOf = hrefOf;
    this.#panel.addEventListener('click', (event) => {
      const link = /** @type {HTMLElement} */ (event.target).closest?.('a[data-folder]');
      // With a modifier the browser opens the link in another tab or window.
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      onFolder(link.getAttribute('data-folder') ?? '');
    });
  }

  get isOpen() {
    return !this.#panel.hidden;
  }

  toggle() {
    this.#panel.hidden = this.isOpen;
    this.#button.setAttribute('aria-expanded', String(this.isOpen));
  }

  /**
   * @param {Record<string, any>} image  All that is known of it.
   * @param {Blob | null} blob  The displayed rendition, if loaded.
   */
  show(image, blob) {
    if (!this.isOpen) return;
    this.#histogram.show(blob);
    this.#problem.textContent = image.problem?.message ?? '';
    if (image.incomplete) this.#problem.textContent = 'Incomplete: part of this file is missing or damaged.';
    this.#problem.hidden = this.#problem.textContent === '';
    const lines = linesOf(image).map(([term, text]) => line(term, text));
    // The folder comes after the name and title.
    if (image.folder) lines.splice(image.title ? 2 : 1, 0, line('Folder', this.#trail(image.folder)));
    if (image.placeNames || image.place) lines.push(line('Place', ...placeOf(image)));
    this.#list.replaceChildren(...lines);
  }

  /** @param {string} folder */
  #trail(folder) {
    const list = document.createElement('ol');
    list.className = 'details-trail';
    const steps = trailOf(folder).map(({ name, path }) => {
      const step = document.createElement('li');
      const link = document.createElement('a');
      link.href = this.#hrefOf(path);
      link.dataset.folder = path;
      link.textContent = name;
      step.append(link);
      return step;
    });
    list.append(...steps);
    return list;
  }
}

/** @param {Record<string, any>} image */
function placeOf({ place, placeNames }) {
  const { location, city, state, country } = placeNames ?? {};
  const names = [location, city, state, country].filter(Boolean).join(', ');
  const parts = names ? [paragraph(names)] : [];
  if (!place) return parts;
  const link = document.createElement('a');
  link.href = mapOf(place);
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = coordinatesOf(place);
  link.title = 'Show on OpenStreetMap (opens in a new tab)';
  const height = Number.isFinite(place.altitude) ? [paragraph(`Altitude ${formatNumber(Math.round(place.altitude))} m`)] : [];
  return [...parts, link, ...height];
}

/** @param {string} text */
function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

/**
 * @param {string} term
 * @param {(string | Node)[]} texts
 */
function line(term, ...texts) {
  const element = document.createElement('div');
  const name = document.createElement('dt');
  const text = document.createElement('dd');
  name.textContent = term;
  text.append(...texts);
  element.append(name, text);
  return element;
}
