import { announce } from './announcer.js';
import { formatNumber } from './numbers.js';
import { find } from './template.js';

/**
 * Says in a corner how far the server is with its files, for as long as it is at it. Those who listen are told that it
 * has begun and that it is done.
 */
export class ProgressLine {
  #element = find('#progress');
  #progress;
  /**
   * What was said to have begun.
   * @type {'' | 'Finding pictures' | 'Looking into pictures'}
   */
  #told = '';

  /** @param {import('../catalog/progress.js').Progress} progress */
  constructor(progress) {
    this.#progress = progress;
    progress.addEventListener('change', () => this.#follow());
  }

  #follow() {
    const { standing, isThrough } = this.#progress;
    this.#element.hidden = standing === null;
    if (standing) {
      this.#element.textContent = textOf(standing);
      const begun = standing.isListing ? 'Finding pictures' : 'Looking into pictures';
      if (this.#told === '') announce(begun);
      this.#told = begun;
    } else if (isThrough && this.#told !== '') {
      announce(this.#told === 'Finding pictures' ? 'All pictures have been found' : 'All pictures have been looked into');
      this.#told = '';
    }
  }
}

/** @param {import('../catalog/progress.js').Standing} standing */
function textOf({ isListing, done, total }) {
  if (isListing) return `Finding pictures: ${formatNumber(total)} so far`;
  return `Looking into pictures: ${formatNumber(done)} of ${formatNumber(total)}`;
}
