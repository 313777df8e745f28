import { find } from '../page/template.js';

/** Why the picture of a frame is not shown as it should be, and what can be done: try again, or have the file as it is. */
export class Notice {
  #element;

  /**
   * @param {HTMLElement} frame
   * @param {() => void} onRetry
   */
  constructor(frame, onRetry) {
    this.#element = find('.frame-problem', frame);
    find('button', this.#element).addEventListener('click', onRetry);
  }

  /**
   * @param {import('../catalog/problem.js').Problem} problem
   * @param {import('../catalog/server.js').GalleryImage | null} image
   */
  show(problem, image) {
    find('.frame-problem-title', this.#element).textContent = problem.title;
    find('.frame-problem-detail', this.#element).textContent = problem.detail;
    /** @type {HTMLAnchorElement} */
    const link = find('a', this.#element);
    link.href = image?.links.original ?? '';
    link.download = image?.name ?? '';
    // What is no picture that the server knows it does not hand out.
    link.hidden = problem.status === 415;
    this.#element.hidden = false;
  }

  hide() {
    this.#element.hidden = true;
  }
}
