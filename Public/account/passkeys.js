import { find } from '../page/template.js';
import { agentText } from './agent.js';
import { makePasskey, whyNoPasskeys } from './authenticator.js';
import { onSubmit } from './form.js';
import { button, dateText, entry, timeText } from './list.js';

/** The passkeys with which the person signs in. */
export class Passkeys {
  /** @type {HTMLFormElement} */
  #form = find('#passkeys');
  /** @type {HTMLInputElement} */
  #name = find('#passkeys-name');
  /** @type {HTMLInputElement} */
  #password = find('#passkeys-password');
  #server;
  #act;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {import('./account.js').Act} act
   */
  constructor(server, act) {
    this.#server = server;
    this.#act = act;
    const reason = whyNoPasskeys();
    this.#form.hidden = reason !== '';
    find('#passkeys-reason').textContent = reason;
    find('#passkeys-reason').hidden = reason === '';
    this.#suggestName();
    onSubmit(this.#form, () => this.#add(), { fields: { name: this.#name } });
  }

  async show() {
    const passkeys = await this.#server.passkeys();
    find('#passkeys-list').replaceChildren(...passkeys.map((passkey) => this.#entry(passkey)));
  }

  /** @param {import('./accounts-server.js').Passkey} passkey */
  #entry({ id, name, created, used }) {
    const note = `Added ${dateText(created)}, ${used ? `last used ${timeText(used)}` : 'not used yet'}`;
    const outcome = `The passkey ${name} has been removed. You can delete it from your device, too.`;
    const remove = () => this.#act(outcome, () => this.#server.removePasskey(id), () => this.show());
    return entry(name, note, [button('Remove', remove, `Remove ${name}`)]);
  }

  async #add() {
    const challenge = await this.#server.passkeyChallenge(this.#password.value);
    const made = await makePasskey(challenge);
    if (made === null) return;
    const { name } = await this.#server.addPasskey({ name: this.#name.value, ...made });
    this.#form.reset();
    this.#suggestName();
    await this.#act(`The passkey ${name} has been added.`, () => this.show());
  }

  #suggestName() {
    this.#name.value = agentText(navigator.userAgent);
  }
}
