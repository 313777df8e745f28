import { SelectionBar } from './selection-bar.js';
import { SelectionInput } from './selection-input.js';
import { Selection } from './selection.js';

/**
 * Adds "Share" and "Select" to the navigation, and "Share picture" to the viewer's menu. The page about accounts asks
 * for the details of a share, and creates it.
 *
 * This script imports nothing that the page has loaded already: bundling would move each shared module into a script of
 * its own, which would load before the first picture.
 * @param {import('../page/account-action.js').SharingDependencies} dependencies
 */
export function offerSharing(dependencies) {
  const share = navigationButton('share-button', 'Share', 'Share', 'M12 15V4M8 8l4-4 4 4M6 12H5v8h14v-8h-1');
  share.addEventListener('click', () => location.assign(`account.html#share=${encodeURIComponent(location.search.slice(1))}`));
  const selection = new Selection(dependencies);
  const select = navigationButton('select-button', 'Select', 'Select (x)', 'M5 5h14v14H5zM8.5 12l2.5 2.5 4.5-5');
  select.setAttribute('aria-keyshortcuts', 'x');
  select.addEventListener('click', () => (selection.isActive ? selection.end() : selection.begin()));
  const press = () => select.setAttribute('aria-pressed', String(selection.isActive));
  selection.addEventListener('change', press);
  press();
  new SelectionBar(selection, () => {
    if (dependencies.connection.isLost) {
      dependencies.showMessage('The gallery’s server cannot be reached. Try again later.');
      return;
    }
    selection.keep();
    shareImages(selection.images);
  });
  new SelectionInput(selection, dependencies);
  selection.restore();
  offerSharingOfImage();
  offerShortcut();
}

/** @param {string[]} images  Ids. */
function shareImages(images) {
  location.assign(`account.html#share-images=${images.join(',')}`);
}

/**
 * A button before "Settings", which looks like it.
 * @param {string} id
 * @param {string} label
 * @param {string} title
 * @param {string} path  Of the icon, 24 by 24, to be stroked.
 */
function navigationButton(id, label, title, path) {
  const settings = /** @type {HTMLElement} */ (document.querySelector('#settings-button'));
  const button = /** @type {HTMLButtonElement} */ (settings.cloneNode(true));
  button.id = id;
  button.title = title;
  button.removeAttribute('aria-haspopup');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('class', 'line');
  line.setAttribute('d', path);
  button.querySelector('svg')?.replaceChildren(line);
  button.querySelector('span')?.replaceChildren(label);
  settings.before(button);
  return button;
}

function offerSharingOfImage() {
  const copy = /** @type {HTMLElement} */ (document.querySelector('#viewer-copy-link'));
  const button = /** @type {HTMLButtonElement} */ (copy.cloneNode(true));
  button.id = 'viewer-share';
  button.textContent = 'Share picture';
  // The viewer keeps the image on screen in the fragment.
  button.addEventListener('click', () => {
    const image = new URLSearchParams(location.hash.slice(1)).get('image');
    if (image) shareImages([image]);
  });
  copy.after(button);
}

/** Adds the key to the list of shortcuts of the grid. */
function offerShortcut() {
  const list = document.querySelector('#shortcuts .for-keys dl:last-of-type');
  const row = /** @type {HTMLElement} */ (list?.lastElementChild?.cloneNode(true));
  const key = document.createElement('kbd');
  key.textContent = 'x';
  row.querySelector('dt')?.replaceChildren(key);
  row.querySelector('dd')?.replaceChildren('Select picture (with Shift: a range)');
  list?.append(row);
}
