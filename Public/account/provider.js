/** Why the server sent the browser back without a session, by the word in the address of the page. */
const refusals = {
  expired: 'The sign-in has expired, or was started in another browser. Try again.',
  denied: 'The sign-in was cancelled, or the sign-in service does not let you use this gallery.',
  'not-admitted': 'You are not in a group whose members may use this gallery.',
  invalid: 'The sign-in service’s response could not be verified. The server’s log says why.',
  unavailable: 'You could not be signed in. Try again in a moment.',
  'last-owner':
    'You are the gallery’s last owner, but the sign-in service no longer lists you as one. Ask its administrator to add you to the owners’ group.',
};

/**
 * What the address says about a sign-in at the provider that has failed; empty if it says nothing.
 * @param {{hash: string}} place
 */
export function refusalText({ hash } = location) {
  const word = hash.match(/^#refused=([\w-]+)$/)?.[1] ?? '';
  return Object.hasOwn(refusals, word) ? refusals[/** @type {keyof typeof refusals} */ (word)] : '';
}

/**
 * Whether somebody has just signed in at the provider.
 * @param {{hash: string}} place
 */
export function hasEntered({ hash } = location) {
  return hash.startsWith('#entered=');
}
