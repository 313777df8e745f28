import { formatNumber } from './numbers.js';
import { find } from './template.js';

/** The line at the end of the list of folders that says which files are not shown because of their kind. */
export class NotShownLine {
  #element = find('#not-shown');
  #button = find('#folders-button');
  #progress;

  /** @param {import('../catalog/progress.js').Progress} progress */
  constructor(progress) {
    this.#progress = progress;
    progress.addEventListener('notShown', () => this.#follow());
  }

  #follow() {
    const { notShown } = this.#progress;
    this.#element.hidden = notShown.count === 0;
    this.#element.textContent = textOf(notShown);
    // A gallery without folders has no other reason for the list.
    if (notShown.count > 0) this.#button.hidden = false;
  }
}

/**
 * `12 files are not shown: RAW (9), video (3)`; empty if there are none.
 * @param {import('../catalog/server.js').NotShown} notShown
 */
export function textOf({ count, kinds }) {
  if (count === 0) return '';
  const list = kinds.map((kind) => `${kind.title} (${formatNumber(kind.count)})`).join(', ');
  return `${formatNumber(count)} ${count === 1 ? 'file is' : 'files are'} not shown: ${list}`;
}
