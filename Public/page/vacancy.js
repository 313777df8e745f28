import { textOf as textOfNotShown } from './not-shown.js';
import { find } from './template.js';

/** The message in place of images while there are none: still scanning, nothing found, or not available. */
export class Vacancy {
  #element = find('#vacancy');
  #title = find('#vacancy-title');
  #text = find('#vacancy-text');
  #clear = find('#vacancy-clear');
  #everywhere = find('#vacancy-everywhere');
  #progress;

  /**
   * @param {{pages: import('../catalog/pages.js').Pages, connection: import('../catalog/connection.js').Connection,
   *   progress: import('../catalog/progress.js').Progress, finding: import('../finding/finding.js').Finding}} parts
   */
  constructor({ pages, connection, progress, finding }) {
    this.#progress = progress;
    this.#clear.addEventListener('click', () => {
      const { requested } = finding;
      finding.request(requested.with(requested.q ? { q: '' } : { folder: '' }));
    });
    this.#everywhere.addEventListener('click', () => finding.request(finding.requested.with({ folder: '' })));
    finding.addEventListener('problem', (event) => {
      if (pages.total !== 0) return;
      const { detail } = /** @type {CustomEvent<import('../catalog/problem.js').Problem>} */ (event);
      // The field shows the error. The message here is still about the previous search.
      if (detail.isRefusal && detail.field === 'q') {
        this.#say('This search does not work', 'Change it, or clear it.', 'Clear search');
      } else {
        this.#element.hidden = true;
      }
    });
    finding.addEventListener('displayed', () => pages.total === 0 && this.#count(0, pages.view));
    pages.addEventListener('catalog', () => this.#count(pages.total ?? 0, pages.view));
    for (const change of ['change', 'notShown', 'problems']) {
      progress.addEventListener(change, () => {
        if (pages.total === 0 && finding.requested.equals(pages.view)) this.#count(0, pages.view);
      });
    }
    const sayLost = () => {
      if (pages.total) return;
      if (!navigator.onLine) this.#say('You are offline', 'The gallery will appear when you are back online.');
      else this.#say('The gallery cannot be reached', 'It will appear as soon as its server responds.');
    };
    pages.addEventListener('problem', (event) => {
      const { detail } = /** @type {CustomEvent<import('../catalog/problem.js').Problem>} */ (event);
      // A request may fail only after a probe has found the server unreachable.
      if (connection.isLost) sayLost();
      else if (!pages.total) this.#say(detail.title, detail.detail);
    });
    connection.addEventListener('lost', sayLost);
  }

  /**
   * @param {number} total
   * @param {import('../catalog/view.js').View} view
   */
  #count(total, { q, folder }) {
    this.#element.hidden = total > 0;
    if (total > 0) return;
    const where = folder ? ` in ${folder}` : '';
    const advice = this.#progress.state ? 'Photo details are still being read.' : 'Try fewer or different words.';
    this.#everywhere.hidden = !(q && folder);
    if (q) this.#say(`Nothing matches “${q}”${where}`, advice, 'Clear search');
    else if (folder) {
      this.#say(`No pictures${where}`, 'Pictures will appear here once they are added.', 'Show all pictures');
    } else if (this.#progress.state) this.#say('Looking for pictures', 'They appear here as they are found.');
    else this.#say('No pictures yet', `Pictures appear here as soon as the gallery finds some. ${this.#left}`.trim());
  }

  /** What may explain it: files that are not shown, and what is wrong with the sources. */
  get #left() {
    const text = textOfNotShown(this.#progress.notShown);
    return [text && `${text}.`, ...this.#progress.problems.slice(0, 2)].filter(Boolean).join(' ');
  }

  /**
   * @param {string} title
   * @param {string} text
   * @param {string} [way]  The label of the button that leads to more images, if they may exist.
   */
  #say(title, text, way = '') {
    this.#clear.hidden = way === '';
    this.#clear.textContent = way;
    find('#grid').removeAttribute('aria-busy');
    this.#title.textContent = title;
    this.#text.textContent = text;
    this.#element.hidden = false;
  }
}
