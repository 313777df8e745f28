import { find } from '../page/template.js';
import { entry, timeText } from './list.js';

/** @typedef {import('./accounts-server.js').Entry} Entry */

/** @type {Record<string, string>} */
const actions = {
  signedIn: 'signed in',
  signInFailed: 'could not sign in',
  signedOut: 'signed out',
  sessionEnded: 'signed out another browser',
  accountCreated: 'created an account',
  accountRemoved: 'removed an account',
  roleChanged: 'changed a role',
  passwordChanged: 'changed the password',
  invited: 'invited somebody',
  invitationWithdrawn: 'withdrew a link',
  passwordLinkIssued: 'created a password link',
  passkeyAdded: 'added a passkey',
  passkeyRemoved: 'removed a passkey',
  appTokenIssued: 'created an app token',
  appTokenRevoked: 'revoked an app token',
  shareMade: 'created a share',
  shareEnded: 'ended a share',
};

/** Who did what. For owners. */
export class Activity {
  #server;
  #list = find('#activity-list');
  /** @type {HTMLButtonElement} */
  #more = find('#activity-more');
  /** @type {number | undefined} */
  #before;

  /** @param {import('./accounts-server.js').AccountsServer} server */
  constructor(server) {
    this.#server = server;
    this.#more.addEventListener('click', () => this.#add());
  }

  async show() {
    this.#before = undefined;
    this.#list.replaceChildren();
    await this.#add();
    find('#activity').hidden = false;
  }

  async #add() {
    const { entries, before } = await this.#server.audit(this.#before);
    this.#list.append(...entries.map(lineOf));
    this.#before = before;
    this.#more.hidden = before === undefined;
  }
}

/** @param {Entry} entry */
function lineOf({ time, actor, address, action, subject }) {
  const words = `${actor ?? 'The operator'} ${actions[action] ?? action}`;
  return entry(subject ? `${words}: ${subject}` : words, address ? `${timeText(time)}, from ${address}` : timeText(time));
}
