import { find } from '../page/template.js';

/**
 * Says at the top of the screen in which part of the gallery one is, once its heading has been scrolled away; the next
 * heading pushes it off. For those who look: who listens meets the heading itself.
 */
export class StandingTitle {
  /**
   * What it takes of the screen with the margins above and below it, as in the style sheet: nothing is measured in the
   * midst of a frame. Pixels.
   */
  static #room = 42;

  #element = find('#standing-title');
  #grid;

  /** @param {import('./grid.js').Grid} grid */
  constructor(grid) {
    this.#grid = grid;
    grid.addEventListener('move', () => this.#follow());
  }

  #follow() {
    const { geometry, scroller } = this.#grid;
    const { title, begin, end } = geometry.partAt(scroller.offset);
    const isPast = title !== '' && scroller.offset >= begin;
    if (isPast && this.#element.textContent !== title) this.#element.textContent = title;
    if (this.#element.hidden === isPast) this.#element.hidden = !isPast;
    if (!isPast) return;
    this.#element.style.transform = `translateY(${Math.min(0, end - scroller.offset - StandingTitle.#room)}px)`;
  }
}
