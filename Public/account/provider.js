/** Why the server sent the browser back without a session, by the word in the address of the page. */
const refusals = {
  expired: 'The sign-in has expired, or was begun in another browser. Try again.',
  denied: 'The sign-in was cancelled.',
  refused: 'The answer of the sign-in service could not be verified. The server’s log says why.',
  unavailable: 'You could not be signed in. Try again in a moment.',
  wait: 'There were too many attempts. Try again in a moment.',
  'last-owner': 'The gallery needs an owner, and you are its last one. Ask for the owners’ group in the sign-in service.',
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
