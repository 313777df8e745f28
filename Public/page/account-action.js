import { readPreference } from './memory.js';
import { learnPermissions } from './permissions.js';
import { find } from './template.js';

/**
 * Hides controls that this page has no permission for. If somebody is signed in, adds a link to the account to the
 * settings, and "Share" to the navigation. "Share" opens the page about accounts with the view on screen.
 */
export function offerAccount() {
  // The page about accounts keeps this while somebody is signed in. Visitors of a share have the same storage.
  const account = readPreference('account');
  const isShare = /\/s\/[^/]+\/$/.test(new URL('.', location.href).pathname);
  if (isShare || account !== null) learnPermissions();
  if (isShare || account === null) return;
  const link = document.createElement('a');
  link.href = 'account.html';
  link.textContent = 'Account';
  link.style.color = 'var(--accent)';
  find('#settings-form').append(link);
  if (account === 'shares') offerSharing();
}

function offerSharing() {
  const settings = find('#settings-button');
  const button = /** @type {HTMLButtonElement} */ (settings.cloneNode(true));
  button.id = 'share-button';
  button.title = 'Share';
  button.removeAttribute('aria-haspopup');
  find('span', button).textContent = 'Share';
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('class', 'line');
  line.setAttribute('d', 'M12 15V4M8 8l4-4 4 4M6 12H5v8h14v-8h-1');
  find('svg', button).replaceChildren(line);
  button.addEventListener('click', () => location.assign(`account.html#share=${encodeURIComponent(location.search.slice(1))}`));
  settings.before(button);
  offerSharingOfImage();
}

/** Adds "Share picture" to the viewer's menu. */
function offerSharingOfImage() {
  const copy = find('#viewer-copy-link');
  const button = /** @type {HTMLButtonElement} */ (copy.cloneNode(true));
  button.id = 'viewer-share';
  button.textContent = 'Share picture';
  // The viewer keeps the image on screen in the fragment.
  button.addEventListener('click', () => {
    const image = new URLSearchParams(location.hash.slice(1)).get('image');
    if (image) location.assign(`account.html#share-image=${image}`);
  });
  copy.after(button);
}
