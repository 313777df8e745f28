import { presentScope } from './scope.js';
import { find } from './template.js';

/**
 * Displays that the server is gone, for as long as it is, with a button to retry now. It is inserted into an open
 * dialog, which would otherwise cover it and make it inert.
 */
export class Banner {
  #element = find('#banner');
  #text = find('#banner-text');
  #time = find('#banner-time');
  #explanation = find('#banner-explanation');

  /** @param {import('../catalog/connection.js').Connection} connection */
  constructor(connection) {
    find('#banner-retry').addEventListener('click', () => connection.tryNow());
    connection.addEventListener('waiting', (event) => this.#wait(/** @type {CustomEvent} */ (event).detail));
    connection.addEventListener('restored', () => this.#restored());
    const dialogs = new MutationObserver(() => this.#stand());
    for (const dialog of document.querySelectorAll('dialog')) dialogs.observe(dialog, { attributeFilter: ['open'] });
  }

  /**
   * Adds what that means for what is displayed.
   * @param {string} text  For as long as the server is gone.
   */
  explain(text) {
    this.#explanation.textContent = text;
    this.#explanation.hidden = text === '';
  }

  /** @param {{seconds: number, isAnswered: boolean}} how */
  #wait({ seconds, isAnswered }) {
    const when = seconds === 1 ? 'in a second' : `in ${seconds} seconds`;
    this.#stand();
    const isStarting = isAnswered ? 'The gallery server is starting' : 'The gallery server is not responding';
    const why = navigator.onLine ? isStarting : 'You are offline';
    // Announced once: the time changes with each attempt.
    if (this.#text.textContent !== `${why}.`) this.#text.textContent = `${why}.`;
    this.#time.textContent = `Trying again ${when}.`;
    this.#element.hidden = false;
  }

  #restored() {
    this.#element.hidden = true;
    this.#text.textContent = '';
    this.explain('');
  }

  #stand() {
    const scope = presentScope();
    if (this.#element.parentNode !== scope) scope.append(this.#element);
  }
}
