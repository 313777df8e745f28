import { find } from '../page/template.js';
import { fieldOf, onSubmit } from './form.js';
import { button, dateText, entry } from './list.js';
import { showSecret } from './secret.js';

const scopes = new Map([
  ['view', 'sees pictures'],
  ['originals', 'downloads originals'],
  ['operate', 'reads status and metrics'],
]);

/** The tokens with which programs use the API for this account. */
export class AppTokens {
  /** @type {HTMLFormElement} */
  #form = find('#tokens');
  #server;
  #act;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {import('./account.js').Act} act
   * @param {string[]} possible  The scopes that the account itself has.
   */
  constructor(server, act, possible) {
    this.#server = server;
    this.#act = act;
    for (const choice of this.#form.querySelectorAll('[data-scope]')) {
      const label = /** @type {HTMLElement} */ (choice);
      label.hidden = !possible.includes(label.dataset.scope ?? '');
    }
    onSubmit(this.#form, () => this.#issue());
  }

  async show() {
    const tokens = await this.#server.appTokens();
    find('#tokens-list').replaceChildren(...tokens.map((token) => this.#entry(token)));
  }

  /** @param {import('./accounts-server.js').AppToken} token */
  #entry({ id, name, scopes: held, expires }) {
    const may = held.map((scope) => scopes.get(scope)).join(', ');
    const note = `${may}; ${expires ? `until ${dateText(expires)}` : 'does not expire'}`;
    const revoke = () => this.#act(`The token ${name} has been revoked.`, () => this.#server.revokeToken(id), () => this.show());
    return entry(name, note, [button('Revoke', revoke, `Revoke ${name}`)]);
  }

  async #issue() {
    const name = /** @type {HTMLInputElement} */ (find('#tokens-name')).value;
    const days = /** @type {HTMLSelectElement} */ (find('#tokens-days')).value;
    const chosen = [...scopes.keys()].filter((scope) => fieldOf(this.#form, scope).checked);
    const { secret = '' } = await this.#server.issueToken({ name, scopes: chosen, days: days ? Number(days) : null });
    this.#form.reset();
    await this.show();
    showSecret(find('#tokens-secret'), `The token for ${name}. Copy it now: it is not shown again.`, secret);
  }
}
