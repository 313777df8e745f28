import { announce } from './announcer.js';
import { formatNumber } from './numbers.js';
import { find } from './template.js';

/**
 * Displays in a corner how far the server has scanned and indexed its files, while it does. Assistive technology hears
 * when that begins and ends.
 */
export class ProgressLine {
  #element = find('#progress');
  #progress;
  /**
   * Whether the announced work is, or has become, listing the sources; null if none is announced.
   * @type {boolean | null}
   */
  #isListing = null;

  /** @param {import('../catalog/progress.js').Progress} progress */
  constructor(progress) {
    this.#progress = progress;
    progress.addEventListener('change', () => this.#follow());
  }

  #follow() {
    const { state, isThrough } = this.#progress;
    this.#element.hidden = state === null;
    if (state) {
      this.#element.textContent = textOf(state);
      if (this.#isListing === null) announce(state.isListing ? 'Looking for pictures' : 'Reading photo details');
      this.#isListing = state.isListing;
    } else if (isThrough && this.#isListing !== null) {
      announce(this.#isListing ? 'All pictures have been found' : 'All photo details have been read');
      this.#isListing = null;
    }
  }
}

/** @param {import('../catalog/progress.js').ProgressState} state */
function textOf({ isListing, done, total }) {
  if (isListing) return `Looking for pictures: ${formatNumber(total)} found so far`;
  return `Reading photo details: ${formatNumber(done)} of ${formatNumber(total)}`;
}
