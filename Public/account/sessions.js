import { find } from '../page/template.js';
import { agentText } from './agent.js';
import { button, entry, timeText } from './list.js';

/** The browsers in which the account is signed in. */
export class Sessions {
  #server;
  #act;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {import('./account.js').Act} act
   */
  constructor(server, act) {
    this.#server = server;
    this.#act = act;
  }

  async show() {
    const sessions = await this.#server.sessions();
    find('#sessions').replaceChildren(...sessions.map((session) => this.#entry(session)));
  }

  /** @param {import('./accounts-server.js').Session} session */
  #entry({ id, agent, address, seen, own }) {
    const text = agentText(agent);
    if (own) return entry(text, `This browser, from ${address}`);
    const end = () => this.#act(`${text} has been signed out.`, () => this.#server.endSession(id), () => this.show());
    return entry(text, `Last used ${timeText(seen)}, from ${address}`, [button('Sign out', end, `Sign out ${text}`)]);
  }
}
