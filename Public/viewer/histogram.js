import { find } from '../page/template.js';
import { describeLevels, mostOf, outlineOf } from './levels.js';

/** The histogram of the displayed image. A worker computes it when the details are open. */
export class Histogram {
  #element = find('#details-histogram');
  #chart = /** @type {SVGElement} */ (this.#element.querySelector('svg'));
  /** @type {Worker | null} */
  #worker = null;
  /** Numbers the requests, so that late answers can be told apart. */
  #turn = 0;
  /**
   * The blob whose levels are displayed or requested.
   * @type {Blob | null}
   */
  #blob = null;

  /** @param {Blob | null} blob  An image; null for none. */
  show(blob) {
    if (blob === this.#blob) return;
    this.#blob = blob;
    this.#turn += 1;
    // The previous histogram stays until the next is here, so that nothing jumps while the user turns from image to
    // image.
    if (blob) this.#ask(blob);
    else this.#element.hidden = true;
  }

  /** @param {Blob} blob */
  #ask(blob) {
    if (!this.#worker) {
      this.#worker = new Worker('viewer/worker/counting.js', { type: 'module' });
      this.#worker.addEventListener('message', ({ data }) => data.turn === this.#turn && this.#draw(data.levels));
    }
    this.#worker.postMessage({ turn: this.#turn, blob });
  }

  /** @param {import('./levels.js').Levels | null} levels */
  #draw(levels) {
    this.#element.hidden = levels === null;
    if (!levels) return;
    const most = mostOf(levels);
    for (const channel of /** @type {const} */ (['red', 'green', 'blue'])) {
      this.#chart.querySelector(`.level-${channel}`)?.setAttribute('d', outlineOf(levels[channel], most));
    }
    this.#chart.setAttribute('aria-label', describeLevels(levels));
  }
}
