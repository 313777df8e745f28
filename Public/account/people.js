import { find } from '../page/template.js';
import { onSubmit } from './form.js';
import { button, dateText, entry } from './list.js';
import { isConfirmed } from './question.js';
import { showSecret } from './secret.js';

/** @typedef {import('./accounts-server.js').Role} Role */

/** @type {[Role, string][]} */
export const roles = [
  ['owner', 'Owner'],
  ['member', 'Member'],
  ['guest', 'Guest'],
];

/** Who may see the gallery, and who is invited. For owners. */
export class People {
  #server;
  #act;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {import('./account.js').Act} act
   */
  constructor(server, act) {
    this.#server = server;
    this.#act = act;
    const role = /** @type {HTMLSelectElement} */ (find('#invite-role'));
    onSubmit(/** @type {HTMLFormElement} */ (find('#invite')), async () => {
      const { link } = await server.invite(/** @type {Role} */ (role.value));
      await this.show();
      this.#showLink('Send this link to the person. It works once, within seven days.', link);
    });
  }

  async show() {
    const { people, invitations } = await this.#server.people();
    const names = new Map(people.map(({ id, name }) => [id, name]));
    find('#people-list').replaceChildren(
      ...people.map((person) => this.#person(person)),
      ...invitations.map((invitation) => this.#invitation(invitation, names)),
    );
    find('#people').hidden = false;
  }

  /** @param {import('./accounts-server.js').Person} person */
  #person({ id, name, role, created, own }) {
    const note = own ? 'You' : `Since ${dateText(created)}`;
    const choice = document.createElement('select');
    choice.setAttribute('aria-label', `Role of ${name}`);
    choice.append(...roles.map(([value, text]) => new Option(text, value, false, value === role)));
    choice.addEventListener('change', () =>
      this.#act(
        `The role of ${name} is now ${choice.selectedOptions[0].text.toLowerCase()}.`,
        () => this.#server.changeRole(id, /** @type {Role} */ (choice.value)),
        () => this.show(),
      ),
    );
    if (own) return entry(name, note, [choice]);
    const reset = async () => {
      await this.#act('', async () => {
        const { link } = await this.#server.passwordLink(id);
        this.#showLink(`With this link, ${name} sets a new password. It works once, within seven days.`, link);
      }, () => this.show());
    };
    const remove = async () => {
      const consequences = 'Sessions, app tokens, and links of this account end at once.';
      if (!(await isConfirmed(`Remove ${name}?`, consequences, 'Remove'))) return;
      this.#act(`${name} has been removed.`, () => this.#server.removePerson(id), () => this.show());
    };
    return entry(name, note, [
      choice,
      button('Password link', reset, `Password link for ${name}`),
      button('Remove', remove, `Remove ${name}`),
    ]);
  }

  /**
   * @param {import('./accounts-server.js').Invitation} invitation
   * @param {Map<string, string>} names
   */
  #invitation({ id, role, account, expires }, names) {
    const text = role ? `Invited as ${role}` : `Password link for ${names.get(account ?? '') ?? 'an account'}`;
    const withdraw = () => this.#act('The link no longer works.', () => this.#server.withdraw(id), () => this.show());
    return entry(text, `Until ${dateText(expires)}`, [button('Withdraw', withdraw, `Withdraw: ${text}`)]);
  }

  /**
   * @param {string} explanation
   * @param {string} link  Relative to the page.
   */
  #showLink(explanation, link) {
    showSecret(find('#people-link'), explanation, new URL(link, location.href).href);
  }
}
