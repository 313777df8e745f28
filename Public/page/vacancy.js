import { find } from './template.js';

/** What is said in the place of pictures while there are none: still looking, nothing found, or not to be had. */
export class Vacancy {
  #element = find('#vacancy');
  #title = find('#vacancy-title');
  #text = find('#vacancy-text');

  /**
   * @param {import('../catalog/pages.js').Pages} pages
   * @param {import('../catalog/connection.js').Connection} connection
   */
  constructor(pages, connection) {
    pages.addEventListener('catalog', () => this.#count(pages.total ?? 0));
    pages.addEventListener('problem', (event) => {
      const { detail } = /** @type {CustomEvent<import('../catalog/problem.js').Problem>} */ (event);
      if (!pages.total) this.#say(detail.title, detail.detail);
    });
    connection.addEventListener('lost', () => {
      if (!pages.total) this.#say('The gallery is out of reach', 'It will appear as soon as its server answers.');
    });
  }

  /** @param {number} total */
  #count(total) {
    this.#element.hidden = total > 0;
    if (total === 0) this.#say('No pictures yet', 'Pictures appear here as soon as the gallery finds some.');
  }

  /**
   * @param {string} title
   * @param {string} text
   */
  #say(title, text) {
    find('#grid').removeAttribute('aria-busy');
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#element.hidden = false;
  }
}
