import { find } from './template.js';

/** What is said in the place of pictures while there are none: still looking, nothing
 * found, or not to be had. */
export class Vacancy {
  #element = find('#vacancy');
  #title = find('#vacancy-title');
  #text = find('#vacancy-text');
  #clear = find('#vacancy-clear');

  /**
   * @param {import('../catalog/pages.js').Pages} pages
   * @param {import('../catalog/connection.js').Connection} connection
   * @param {() => void} onClear  Called when somebody wants to see all pictures again.
   */
  constructor(pages, connection, onClear) {
    this.#clear.addEventListener('click', onClear);
    pages.addEventListener('catalog', () => this.#count(pages.total ?? 0, pages.view));
    pages.addEventListener('problem', (event) => {
      const { detail } = /** @type {CustomEvent<import('../catalog/problem.js').Problem>} */ (event);
      if (!pages.total) this.#say(detail.title, detail.detail);
    });
    connection.addEventListener('lost', () => {
      if (!pages.total) this.#say('The gallery is out of reach', 'It will appear as soon as its server answers.');
    });
  }

  /**
   * @param {number} total
   * @param {import('../catalog/view.js').View} view
   */
  #count(total, { q, folder }) {
    this.#element.hidden = total > 0;
    if (total > 0) return;
    const where = folder ? ` in ${folder}` : '';
    if (q) this.#say(`Nothing matches “${q}”${where}`, 'Fewer or other words may.', true);
    else if (folder) this.#say(`No pictures${where}`, 'They appear here as soon as there are some.', true);
    else this.#say('No pictures yet', 'Pictures appear here as soon as the gallery finds some.');
  }

  /**
   * @param {string} title
   * @param {string} text
   * @param {boolean} [isNarrowed]  Whether there may be more pictures elsewhere.
   */
  #say(title, text, isNarrowed = false) {
    this.#clear.hidden = !isNarrowed;
    find('#grid').removeAttribute('aria-busy');
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#element.hidden = false;
  }
}
