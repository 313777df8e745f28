import { find } from '../page/template.js';
import { describeLevels, mostOf, outlineOf } from './levels.js';

/** How light and dark is spread over the picture that is shown. It is counted by a worker, when somebody looks at it. */
export class Histogram {
  #element = find('#details-histogram');
  #chart = /** @type {SVGElement} */ (this.#element.querySelector('svg'));
  /** @type {Worker | null} */
  #worker = null;
  /** Counts what is asked for, so that what comes late can be told apart. */
  #turn = 0;
  /**
   * Of what the levels are shown or asked for.
   * @type {Blob | null}
   */
  #blob = null;

  /** @param {Blob | null} blob  A picture; null where there is none to be counted. */
  show(blob) {
    if (blob === this.#blob) return;
    this.#blob = blob;
    this.#turn += 1;
    // The one before stays until the next is there, so that nothing jumps while one goes from picture to picture.
    if (blob) this.#ask(blob);
    else this.#element.hidden = true;
  }

  /** @param {Blob} blob */
  #ask(blob) {
    if (!this.#worker) {
      this.#worker = new Worker('/viewer/worker/counting.js', { type: 'module' });
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
