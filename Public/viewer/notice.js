import { mayHaveOriginal } from '../page/permissions.js';
import { find } from '../page/template.js';

/** Why the image of a frame failed or is incomplete, with the choice to try again or to download the file. */
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
    // The server does not serve files that it does not recognise as images.
    link.hidden = problem.status === 415 || !mayHaveOriginal(image);
    find('button', this.#element).hidden = problem.isOfFile;
    this.#element.hidden = false;
  }

  hide() {
    this.#element.hidden = true;
  }
}
