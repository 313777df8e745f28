import { find } from '../page/template.js';
import { onSubmit } from './form.js';

/**
 * Lets the person change the password.
 * @param {import('./accounts-server.js').AccountsServer} server
 * @param {() => Promise<void>} changed
 */
export function attachPassword(server, changed) {
  const form = /** @type {HTMLFormElement} */ (find('#password'));
  const current = /** @type {HTMLInputElement} */ (find('#password-current'));
  const replacement = /** @type {HTMLInputElement} */ (find('#password-new'));
  onSubmit(
    form,
    async () => {
      await server.changePassword(current.value, replacement.value);
      form.reset();
      await changed();
    },
    { fields: { password: replacement } },
  );
}
