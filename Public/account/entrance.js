import { find } from '../page/template.js';
import { usePasskey, whyNoPasskeys } from './authenticator.js';
import { onPress, onSubmit } from './form.js';
import { returnPlace } from './return.js';

/** @typedef {import('./accounts-server.js').Purpose} Purpose */

/** The form with which a person signs in, or accepts an invitation. */
export class Entrance {
  /** @type {HTMLFormElement} */
  #form = find('#entrance');
  /** @type {HTMLInputElement} */
  #name = find('#entrance-name');
  /** @type {HTMLInputElement} */
  #password = find('#entrance-password');
  /** @type {HTMLButtonElement} */
  #passkey = find('#entrance-passkey');
  /** @type {HTMLButtonElement} */
  #provider = find('#entrance-provider');
  #server;
  /**
   * The invitation's code; null to sign in.
   * @type {string | null}
   */
  #code = null;
  /** Whether the password is that of a share. */
  #unlocks = false;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {() => void} entered  Called when the person is signed in.
   */
  constructor(server, entered) {
    this.#server = server;
    const fields = { name: this.#name, password: this.#password };
    onSubmit(this.#form, () => this.#enter().then(entered), { fields });
    onPress(this.#passkey, find('#entrance-problem'), () => this.#enterWithPasskey(entered));
    onPress(this.#provider, find('#entrance-problem'), () => this.#leaveForProvider());
    const show = /** @type {HTMLInputElement} */ (find('#entrance-show'));
    show.addEventListener('change', () => (this.#password.type = show.checked ? 'text' : 'password'));
  }

  /** @param {{provider?: string, refusal: string}} how  `refusal`: why a sign-in at the provider has failed. */
  showSignIn({ provider, refusal }) {
    this.#passkey.hidden = whyNoPasskeys() !== '';
    this.#provider.hidden = provider === undefined;
    this.#provider.textContent = `Sign in with ${provider}`;
    this.#show({ title: 'Sign in', text: '', action: 'Sign in', autocomplete: 'current-password' });
    const problem = find('#entrance-problem');
    problem.textContent = refusal;
    problem.hidden = refusal === '';
  }

  /** Asks for the password of a share. */
  showLock() {
    this.#unlocks = true;
    this.#name.hidden = true;
    find('[for=entrance-name]').hidden = true;
    const text = 'These pictures are protected by a password.';
    this.#show({ title: 'Enter the password', text, action: 'Continue', autocomplete: 'off' });
    this.#password.focus();
  }

  /**
   * @param {string} code
   * @param {Purpose} purpose
   */
  showInvitation(code, { role, name }) {
    this.#code = code;
    const how = { action: 'Continue', autocomplete: 'new-password' };
    if (role === 'owner') {
      this.#show({ ...how, title: 'Create your owner account', text: 'Owners can invite other people.' });
    } else if (role) {
      this.#show({ ...how, title: 'Welcome', text: 'Choose a name and a password to see the gallery.' });
    } else {
      this.#show({ ...how, title: 'New password', text: `For the account of ${name}.` });
      this.#name.value = name ?? '';
      this.#name.readOnly = true;
      this.#password.focus();
    }
  }

  /** @param {{title: string, text: string, action: string, autocomplete: HTMLInputElement["autocomplete"]}} how */
  #show({ title, text, action, autocomplete }) {
    document.title = `${title} · Tessera`;
    find('#entrance-title').textContent = title;
    find('#entrance-text').textContent = text;
    find('#entrance-text').hidden = text === '';
    find('#entrance-hint').hidden = this.#code === null;
    find('[type=submit]', this.#form).textContent = action;
    this.#password.autocomplete = autocomplete;
    this.#form.hidden = false;
    this.#name.focus();
  }

  /** @param {() => void} entered */
  async #enterWithPasskey(entered) {
    const assertion = await usePasskey(await this.#server.signInChallenge());
    if (assertion === null) return;
    await this.#server.signInWithPasskey(assertion);
    entered();
  }

  async #leaveForProvider() {
    const { location: address } = await this.#server.beginProviderSignIn(returnPlace());
    location.assign(address);
  }

  async #enter() {
    const [name, password] = [this.#name.value, this.#password.value];
    if (this.#unlocks) await this.#server.unlock(password);
    else if (this.#code === null) await this.#server.signIn(name, password);
    else await this.#server.accept({ code: this.#code, name, password });
  }
}
