import { find } from './template.js';

/** Says that the server is gone, for as long as it is, and offers not to wait for the next try. */
export class Banner {
  #element = find('#banner');
  #text = find('#banner-text');

  /** @param {import('../catalog/connection.js').Connection} connection */
  constructor(connection) {
    find('#banner-retry').addEventListener('click', () => connection.tryNow());
    connection.addEventListener('waiting', (event) => this.#wait(/** @type {CustomEvent<number>} */ (event).detail));
    connection.addEventListener('restored', () => this.#restored());
  }

  /** @param {number} seconds */
  #wait(seconds) {
    const when = seconds === 1 ? 'in a second' : `in ${seconds} seconds`;
    this.#text.textContent = `The gallery server is not answering. Trying again ${when}.`;
    this.#element.hidden = false;
  }

  #restored() {
    this.#element.hidden = true;
    this.#text.textContent = '';
  }
}
