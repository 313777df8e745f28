import { Problem } from '../catalog/problem.js';

/**
 * @typedef {{challenge: string, rpId: string, user: {id: string, name: string}, algorithms: number[], exclude: string[]}}
 *   PasskeyChallenge  Bytes are base64url, here and below.
 * @typedef {{challenge: string, rpId: string}} SignInChallenge
 * @typedef {{id: string, clientDataJSON: string, authenticatorData: string}} PasskeyResponse
 * @typedef {PasskeyResponse & {publicKey: string, publicKeyAlgorithm: number}} NewPasskey
 * @typedef {PasskeyResponse & {signature: string, userHandle: string | null}} Assertion
 */

/**
 * Why this page cannot use passkeys; empty if it can.
 * @param {{hostname: string}} place
 */
export function whyNoPasskeys({ hostname } = location) {
  // IPv6 addresses are in brackets, and no name ends in a number.
  if (/^\[|\.\d+$/.test(hostname)) return 'Passkeys need a host name. Open the gallery by its name instead of by an IP address.';
  if (!isSecureContext) return 'Passkeys need HTTPS.';
  return 'PublicKeyCredential' in window ? '' : 'This browser does not support passkeys.';
}

/**
 * Lets the person make a passkey.
 * @param {PasskeyChallenge} challenge
 * @returns {Promise<NewPasskey | null>}  Null if the person changes their mind.
 */
export async function makePasskey({ challenge, rpId, user, algorithms, exclude }) {
  const credential = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytesOf(challenge),
        rp: { id: rpId, name: 'Tessera' },
        user: { id: bytesOf(user.id), name: user.name, displayName: user.name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: exclude.map((id) => ({ type: 'public-key', id: bytesOf(id) })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      },
    }),
  );
  if (credential === null) return null;
  const response = /** @type {AuthenticatorAttestationResponse} */ (credential.response);
  const publicKey = response.getPublicKey();
  if (publicKey === null) throw new Problem(0, 'This kind of passkey is not supported');
  return {
    id: textOf(credential.rawId),
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.getAuthenticatorData()),
    publicKey: textOf(publicKey),
    publicKeyAlgorithm: response.getPublicKeyAlgorithm(),
  };
}

/**
 * Lets the person choose a passkey, and uses it.
 * @param {SignInChallenge} challenge
 * @returns {Promise<Assertion | null>}  Null if the person changes their mind.
 */
export async function usePasskey({ challenge, rpId }) {
  const credential = await ask(() =>
    navigator.credentials.get({ publicKey: { challenge: bytesOf(challenge), rpId, userVerification: 'required' } }),
  );
  if (credential === null) return null;
  const response = /** @type {AuthenticatorAssertionResponse} */ (credential.response);
  return {
    id: textOf(credential.rawId),
    clientDataJSON: textOf(response.clientDataJSON),
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    userHandle: response.userHandle && textOf(response.userHandle),
  };
}

/**
 * @param {() => Promise<Credential | null>} action
 * @returns {Promise<PublicKeyCredential | null>}
 */
async function ask(action) {
  try {
    return /** @type {PublicKeyCredential | null} */ (await action());
  } catch (error) {
    switch (error instanceof DOMException && error.name) {
      // The browser has told the person more than it tells the page.
      case 'NotAllowedError':
      case 'AbortError':
        return null;
      case 'InvalidStateError':
        throw new Problem(0, 'This device already has a passkey for your account');
      case 'NotSupportedError':
      case 'ConstraintError':
        throw new Problem(0, 'This device cannot check your fingerprint, face, or PIN, which a passkey needs');
      case 'SecurityError':
        throw new Problem(0, 'The browser does not allow passkeys at this address');
      default:
        throw new Problem(0, 'The browser could not use the passkey');
    }
  }
}

/** @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
}

/** @param {ArrayBuffer} bytes */
function textOf(bytes) {
  const letters = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
