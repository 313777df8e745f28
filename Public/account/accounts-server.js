import { Problem } from '../catalog/problem.js';

/**
 * @typedef {'owner' | 'member' | 'guest'} Role
 * @typedef {{id: string, name: string, role: Role, scopes: string[], shares: boolean, manages: boolean, byProxy?:
 *   boolean, password?: boolean}} Account  `byProxy`: a proxy has signed the person in. `password`: false if the account
 *   has none.
 * @typedef {{accounts: boolean, setUp: boolean, account?: Account, share?: {name?: string, locked: boolean}, provider?:
 *   string}} Present  `accounts`: whether the gallery has any. `setUp`: whether there is an owner. `share`: below the
 *   path of a share. `provider`: the name of the OpenID provider that signs people in.
 * @typedef {'metadata' | 'place' | 'originals'} Contents
 * @typedef {{id: string, name: string, link: string, view: string, imageCount?: number, contents: Contents[],
 *   password: boolean, created:
 *   number, expires?: number, visits: number, maker?: string}} Share  `link`: relative to the gallery. `maker`: if it is
 *   somebody else.
 * @typedef {{role?: Role, name?: string}} Purpose  What an invitation is for: a role, or the password of an account.
 * @typedef {{id: string, agent: string, address: string, created: number, seen: number, own?: boolean}} Session  Times
 *   are in seconds since 1970.
 * @typedef {{id: string, name: string, created: number, used?: number}} Passkey
 * @typedef {{id: string, name: string, scopes: string[], created: number, expires?: number, secret?: string}} AppToken
 * @typedef {{id: string, name: string, role: Role, created: number, own?: boolean}} Person
 * @typedef {{id: string, role?: Role, account?: string, created: number, expires: number}} Invitation
 * @typedef {{number: number, time: number, actor?: string, address?: string, action: string, subject?: string}} Entry
 */

const timeout = 20_000;

/** The part of the JSON API that is about accounts. Every method throws a `Problem`. */
export class AccountsServer {
  /** @returns {Promise<Present>} */
  present() {
    return this.#ask('GET', 'session');
  }

  /**
   * @param {string} name
   * @param {string} password
   * @returns {Promise<Present>}
   */
  signIn(name, password) {
    return this.#ask('POST', 'session', { name, password });
  }

  /** @returns {Promise<import('./authenticator.js').SignInChallenge>} */
  signInChallenge() {
    return this.#ask('POST', 'session/challenge', {});
  }

  /**
   * @param {import('./authenticator.js').Assertion} assertion
   * @returns {Promise<Present>}
   */
  signInWithPasskey(assertion) {
    return this.#ask('POST', 'session/passkey', assertion);
  }

  /**
   * Begins a sign-in at the OpenID provider.
   * @param {string} from  Where in the gallery the person then wants to go: a query or a fragment.
   * @returns {Promise<{location: string}>}  Where the browser goes now.
   */
  beginProviderSignIn(from) {
    return this.#ask('POST', 'session/oidc', { from });
  }

  signOut() {
    return this.#ask('DELETE', 'session');
  }

  /**
   * @param {string} code
   * @returns {Promise<Purpose>}
   */
  invitation(code) {
    return this.#ask('POST', 'invitation', { code });
  }

  /**
   * @param {{code: string, name?: string, password: string}} acceptance
   * @returns {Promise<Present>}
   */
  accept(acceptance) {
    return this.#ask('POST', 'invitation/accept', acceptance);
  }

  /** @returns {Promise<Session[]>} */
  async sessions() {
    return (await this.#ask('GET', 'sessions')).sessions;
  }

  /** @param {string} id */
  endSession(id) {
    return this.#ask('DELETE', `sessions/${id}`);
  }

  /**
   * @param {string} current
   * @param {string} replacement
   */
  changePassword(current, replacement) {
    return this.#ask('POST', 'password', { current, new: replacement });
  }

  /** @returns {Promise<Passkey[]>} */
  async passkeys() {
    return (await this.#ask('GET', 'passkeys')).passkeys;
  }

  /**
   * @param {string} password
   * @returns {Promise<import('./authenticator.js').PasskeyChallenge>}
   */
  passkeyChallenge(password) {
    return this.#ask('POST', 'passkeys/challenge', { password });
  }

  /**
   * @param {import('./authenticator.js').NewPasskey & {name: string}} passkey
   * @returns {Promise<Passkey>}
   */
  addPasskey(passkey) {
    return this.#ask('POST', 'passkeys', passkey);
  }

  /** @param {string} id */
  removePasskey(id) {
    return this.#ask('DELETE', `passkeys/${id}`);
  }

  /** @returns {Promise<AppToken[]>} */
  async appTokens() {
    return (await this.#ask('GET', 'app-tokens')).tokens;
  }

  /**
   * @param {{name: string, scopes: string[], days: number | null}} token
   * @returns {Promise<AppToken>}
   */
  issueToken(token) {
    return this.#ask('POST', 'app-tokens', token);
  }

  /** @param {string} id */
  revokeToken(id) {
    return this.#ask('DELETE', `app-tokens/${id}`);
  }

  /** @returns {Promise<Share[]>} */
  async shares() {
    return (await this.#ask('GET', 'shares')).shares;
  }

  /**
   * @param {{name: string, view: string, images: string[], days: number | null, password: string, contents: Contents[]}} share
   * @returns {Promise<Share>}
   */
  share(share) {
    return this.#ask('POST', 'shares', share);
  }

  /** @param {string} id */
  endShare(id) {
    return this.#ask('DELETE', `shares/${id}`);
  }

  /**
   * Enters the password of the share below whose path the page lies.
   * @param {string} password
   */
  unlock(password) {
    return this.#ask('POST', 'unlock', { password });
  }

  /** @returns {Promise<{people: Person[], invitations: Invitation[]}>} */
  people() {
    return this.#ask('GET', 'people');
  }

  /**
   * @param {Role} role
   * @returns {Promise<{link: string}>}
   */
  invite(role) {
    return this.#ask('POST', 'people', { role });
  }

  /**
   * @param {string} id
   * @returns {Promise<{link: string}>}
   */
  passwordLink(id) {
    return this.#ask('POST', `people/${id}/password-link`, {});
  }

  /**
   * @param {string} id
   * @param {Role} role
   */
  changeRole(id, role) {
    return this.#ask('POST', `people/${id}`, { role });
  }

  /** @param {string} id */
  removePerson(id) {
    return this.#ask('DELETE', `people/${id}`);
  }

  /** @param {string} id */
  withdraw(id) {
    return this.#ask('DELETE', `invitations/${id}`);
  }

  /**
   * @param {number} [before]  Only entries with a smaller number.
   * @returns {Promise<{entries: Entry[], before?: number}>}
   */
  audit(before) {
    return this.#ask('GET', before ? `audit?limit=50&before=${before}` : 'audit?limit=50');
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>}
   */
  async #ask(method, path, body) {
    const response = await this.#reach(`api/v1/${path}`, {
      method,
      headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }) },
      body: body && JSON.stringify(body),
      cache: 'no-store',
      signal: /** @type {AbortSignalConstructor} */ (AbortSignal).timeout(timeout),
    });
    if (!response.ok) throw await Problem.from(response);
    return response.status === 204 ? undefined : response.json();
  }

  /**
   * @param {string} path
   * @param {RequestInit} options
   */
  async #reach(path, options) {
    try {
      return await fetch(path, options);
    } catch {
      throw new Problem(0, 'The gallery server is not responding');
    }
  }
}
