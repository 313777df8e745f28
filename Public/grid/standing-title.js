import { find } from '../page/template.js';

/**
 * Says at the top of the screen in which part of the gallery one is, once its heading has been scrolled away; the next
 * heading pushes it off. For those who look: who listens meets the heading itself.
 */
export class StandingTitle {
  /** Above and below it, as in the style sheet. Pixels. */
  static #margin = 8;

  #element = find('#standing-title');
  #grid;
  /** What it takes of the screen, in pixels; the style sheet says. */
  #room = 0;

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
    if (this.#element.hidden === isPast) this.#toggle(isPast);
    if (isPast) this.#element.style.transform = `translateY(${Math.min(0, end - scroller.offset - this.#room)}px)`;
  }

  /** @param {boolean} isShown */
  #toggle(isShown) {
    this.#element.hidden = !isShown;
    if (isShown) this.#room = this.#element.offsetHeight + 2 * StandingTitle.#margin;
  }
}
