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
   * The announcement of the work in hand.
   * @type {'' | 'Looking for pictures' | 'Reading photo details'}
   */
  #announced = '';

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
      const begun = state.isListing ? 'Looking for pictures' : 'Reading photo details';
      if (this.#announced === '') announce(begun);
      this.#announced = begun;
    } else if (isThrough && this.#announced !== '') {
      announce(this.#announced === 'Looking for pictures' ? 'All pictures have been found' : 'All photo details have been read');
      this.#announced = '';
    }
  }
}

/** @param {import('../catalog/progress.js').ProgressState} state */
function textOf({ isListing, done, total }) {
  if (isListing) return `Looking for pictures: ${formatNumber(total)} found so far`;
  return `Reading photo details: ${formatNumber(done)} of ${formatNumber(total)}`;
}
