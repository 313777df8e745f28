import { announce } from './announcer.js';
import { isMeantElsewhere } from './key-bindings.js';
import { readPreference } from './memory.js';
import { Message } from './message.js';
import { formatNumber } from './numbers.js';
import { learnPermissions } from './permissions.js';
import { find } from './template.js';

/**
 * @typedef {{grid: import('../grid/grid.js').Grid, pages: import('../catalog/pages.js').Pages, server:
 *   import('../catalog/server.js').Server, connection: import('../catalog/connection.js').Connection}} PageParts
 * @typedef {PageParts & {announce: (text: string) => void, formatNumber: (number: number) => string, isMeantElsewhere:
 *   (event: KeyboardEvent) => boolean, showMessage: (text: string) => void}} SharingDependencies  What the page passes to
 *   `sharing.js`.
 */

/**
 * Hides controls that this page has no permission for. If somebody is signed in, adds a link to the account to the
 * settings. If they may share, also loads `sharing.js`.
 * @param {PageParts} parts
 */
export function offerAccount(parts) {
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
  if (account === 'shares') loadSharing(parts);
}

/** @param {PageParts} parts */
function loadSharing(parts) {
  import('../sharing/sharing.js').then(
    ({ offerSharing }) => offerSharing({ ...parts, announce, formatNumber, isMeantElsewhere, showMessage: Message.show }),
    () => parts.connection.addEventListener('restored', () => loadSharing(parts), { once: true }),
  );
}
