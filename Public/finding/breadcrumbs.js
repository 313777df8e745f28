import { cloneTemplate, find } from '../page/template.js';

/** The name of the gallery's top folder. */
export const topName = 'All folders';

/** Names of at most so many letters are never cut. */
const longName = 24;

/**
 * Lists the path from the gallery down to a folder: a button for each folder, with its path in `data-folder`.
 * @param {HTMLElement} list
 * @param {string} folder  Its path; empty for the gallery.
 */
export function showBreadcrumbs(list, folder) {
  const names = folder === '' ? [] : folder.split('/');
  const steps = names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') }));
  list.replaceChildren(...[{ name: topName, path: '' }, ...steps].map(({ name, path }) => {
    const step = cloneTemplate('trail-template');
    step.toggleAttribute('data-long', name.length > longName);
    const button = find('button', step);
    button.textContent = name;
    button.title = name;
    button.dataset.folder = path;
    if (path === folder) button.setAttribute('aria-current', 'page');
    return step;
  }));
}

/**
 * @param {string} folder
 * @returns {string}  Empty for the gallery.
 */
export function nameOfFolder(folder) {
  return folder.slice(folder.lastIndexOf('/') + 1);
}

/**
 * @param {string} folder
 * @returns {string}  Empty for a folder at the top.
 */
export function parentOf(folder) {
  return folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
}

/**
 * The folder that a click chose, if it chose one.
 * @param {Event} event
 */
export function folderIn({ target }) {
  return /** @type {HTMLElement} */ (target).closest?.('[data-folder]')?.getAttribute('data-folder') ?? undefined;
}
