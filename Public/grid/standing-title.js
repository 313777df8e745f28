import { find } from '../page/template.js';
import { nameOfDay } from './days.js';
import { nameOfMonth } from './months.js';

/**
 * Says at the top of the screen in which part of the gallery one is, once its heading has been scrolled away, and on which
 * day, where that is known; the next heading pushes it off. For those who look: who listens meets the heading itself.
 */
export class StandingTitle {
  /**
   * What it takes of the screen with the margins above and below it, as in the style sheet: nothing is measured in the
   * midst of a frame. Pixels.
   */
  static #room = 42;

  #element = find('#standing-title');
  #title = '';
  #day = '';
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
    if (isPast) this.#say(title, this.#grid.topDay);
    if (this.#element.hidden === isPast) this.#element.hidden = !isPast;
    if (!isPast) return;
    this.#element.style.transform = `translateY(${Math.min(0, end - scroller.offset - StandingTitle.#room)}px)`;
  }

  /**
   * @param {string} title
   * @param {string} day
   */
  #say(title, day) {
    if (title === this.#title && day === this.#day) return;
    this.#title = title;
    this.#day = day;
    // A picture that was put in may be of a day elsewhere, until its place is known.
    this.#element.textContent = nameOfMonth(day.slice(0, 7) || null) === title ? nameOfDay(day) : title;
  }
}
