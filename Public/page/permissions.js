/**
 * Permissions that the server grants this page; all are assumed until it responds. `redacted`: originals lose their metadata.
 */
export const permissions = { originals: true, redacted: false, search: true };

/** The controls to hide without each permission. */
const controls = { originals: '#viewer-download, #viewer-open', search: '#search, #navigation-search' };

/** Media types whose metadata the server can remove. */
const redactable = /^image\/(jpeg|png|gif|webp|heic|avif|jxl)$/;

/**
 * Whether the server sends this page the original of an image.
 * @param {{type?: string} | null} image
 */
export function mayHaveOriginal(image) {
  return permissions.originals && (!permissions.redacted || redactable.test(image?.type ?? ''));
}

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
  permissions.redacted = share !== undefined && !(granted.includes('metadata') && granted.includes('place'));
  // A search could reveal metadata that the share hides.
  permissions.search = !permissions.redacted;
  for (const name of /** @type {(keyof typeof controls)[]} */ (['originals', 'search'])) {
    if (permissions[name]) continue;
    const hidden = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(controls[name]));
    for (const control of hidden) control.style.display = 'none';
  }
}
