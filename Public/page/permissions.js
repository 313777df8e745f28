/** What the server lets this page do: everything, until it has said otherwise. */
export const permissions = { originals: true, search: true };

/** The controls for it. */
const controls = { originals: '#viewer-download, #viewer-open', search: '#search, #navigation-search' };

/**
 * Asks the server what it lets this page do, and hides the controls for everything else.
 * @returns {Promise<void>}  Resolved even if the server does not answer: it decides at each request anyway.
 */
export async function learnPermissions() {
  const response = await fetch('api/v1/session').catch(() => null);
  if (!response?.ok) return;
  /** @type {{account?: {scopes: string[]}, share?: {contents?: string[]}}} */
  const { account, share } = await response.json();
  const granted = share?.contents ?? account?.scopes;
  if (!granted) return;
  permissions.originals = granted.includes('originals');
  // A search finds pictures by what a share may keep to itself.
  permissions.search = !share || (granted.includes('metadata') && granted.includes('place'));
  for (const name of /** @type {(keyof typeof permissions)[]} */ (['originals', 'search'])) {
    if (permissions[name]) continue;
    const hidden = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(controls[name]));
    for (const control of hidden) control.style.display = 'none';
  }
}
