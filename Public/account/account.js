import { readPreference, savePreference } from '../page/memory.js';
import { find } from '../page/template.js';
import { Problem } from '../catalog/problem.js';
import { AccountsServer } from './accounts-server.js';
import { Activity } from './activity.js';
import { AppTokens } from './app-tokens.js';
import { Entrance } from './entrance.js';
import { textOf } from './form.js';
import { forgetGallery } from './forgetting.js';
import { attachPassword } from './password.js';
import { Passkeys } from './passkeys.js';
import { People, roles } from './people.js';
import { hasEntered, refusalText } from './provider.js';
import { returnToGallery } from './return.js';
import { Sessions } from './sessions.js';
import { Shares } from './shares.js';

/*
 * The page about accounts: it signs people in, accepts invitations, and shows a signed-in person the account. It is
 * apart from the gallery's page, so that the gallery's page does not grow.
 */

/**
 * @callback Act  Runs an action, reports its outcome, and refreshes the part of the page that it changed.
 * @param {string} outcome  Empty if the outcome is visible.
 * @param {() => Promise<void>} action
 * @param {() => Promise<void>} [afterwards]
 * @returns {Promise<void>}
 */

const server = new AccountsServer();
const entrance = new Entrance(server, enterGallery);

start();

async function start() {
  try {
    const code = isInvited();
    if (code) return showInvitation(code);
    const { accounts, setUp, account, share, provider } = await server.present();
    if (share) return share.locked ? entrance.showLock() : returnToGallery();
    // The proxy or the provider has signed in somebody whom the gallery may not have known before.
    if (account && (hasEntered() || (account.byProxy && location.hash.startsWith('#from=')))) return enterGallery();
    if (account) return await showAccount(account);
    // Somebody was signed in who no longer is: what this browser has stored was for that person.
    if (readPreference('account') !== null) await forgetGallery();
    if (!accounts) notice('No accounts', 'This gallery is open to everybody who reaches it.', { hasGallery: true });
    else if (setUp || provider) entrance.showSignIn({ provider, refusal: refusalText() });
    else notice('Not set up yet', 'Open the link that the server printed when it started.');
  } catch (error) {
    if (error instanceof Problem && error.isGone) notice(error.title, textOf(error));
    else notice('No connection', textOf(error), { retries: true });
  } finally {
    find('#loading').hidden = true;
  }
}

/** Somebody has just signed in. */
async function enterGallery() {
  const { account } = await server.present();
  if (account) remember(account);
  if (isInvited()) location.replace('./');
  // The session had run out on the way to the form.
  else if (location.hash.startsWith('#share')) location.reload();
  else returnToGallery();
}

/**
 * The gallery's page then offers this one, and sharing.
 * @param {import('./accounts-server.js').Account} account
 */
function remember({ shares }) {
  savePreference('account', shares ? 'shares' : 'views');
}

/** The code in the address, if it is that of an invitation. */
function isInvited() {
  return location.hash.match(/^#invitation=([\w-]+)$/)?.[1];
}

/** @param {string} code */
async function showInvitation(code) {
  try {
    entrance.showInvitation(code, await server.invitation(code));
  } catch (error) {
    if (!(error instanceof Problem && error.isGone)) throw error;
    notice('This link is not valid', textOf(error), { hasGallery: true });
  }
}

/**
 * @param {string} title
 * @param {string} text
 * @param {{hasGallery?: boolean, retries?: boolean}} ways
 */
function notice(title, text, { hasGallery = false, retries = false } = {}) {
  document.title = `${title} · Tessera`;
  find('#notice-title').textContent = title;
  find('#notice-text').textContent = text;
  find('#notice-gallery').hidden = !hasGallery;
  const retry = find('#notice-retry');
  retry.hidden = !retries;
  retry.onclick = () => location.reload();
  find('#notice').hidden = false;
  find('#notice-title').focus();
}

/** @param {import('./accounts-server.js').Account} account */
async function showAccount(account) {
  const { name, role, scopes, shares, manages, byProxy = false, password = true } = account;
  remember(account);
  document.title = `${name} · Tessera`;
  find('#account-name').textContent = name;
  find('#account-role').textContent = roles.find(([value]) => value === role)?.[1] ?? role;
  find('#sign-out').hidden = byProxy;
  // To add a passkey, a person enters the password.
  find('#password-section').hidden = find('#passkeys-section').hidden = byProxy || !password;
  find('#sign-out').addEventListener('click', () => act('', signOut));
  const sessions = new Sessions(server, act);
  const passkeys = new Passkeys(server, act);
  const tokens = new AppTokens(server, act, scopes);
  attachPassword(server, async () => {
    tell('Your password has been changed.');
    await sessions.show();
  });
  const ofSharers = shares ? [new Shares(server, act)] : [];
  const ofOwners = manages ? [new People(server, act), new Activity(server)] : [];
  await Promise.all([sessions, passkeys, tokens, ...ofSharers, ...ofOwners].map((part) => part.show()));
  find('#account').hidden = false;
  if (shares && /^#share(-images?)?=/.test(location.hash)) find('#share-name').focus();
}

async function signOut() {
  await server.signOut();
  await forgetGallery();
  location.replace('account.html');
}

/** @type {Act} */
async function act(outcome, action, afterwards = async () => {}) {
  try {
    await action();
    tell(outcome);
  } catch (error) {
    tell(textOf(error));
  }
  await afterwards();
}

/** @param {string} text */
function tell(text) {
  find('#outcome').textContent = text;
}
