import { find } from '../page/template.js';
import { nameOfDay } from './days.js';

/**
 * The height of the sticky title with its margins, as in the style sheet: nothing is measured in the middle of a frame.
 * Pixels.
 */
const titleHeight = 42;

/**
 * Displays the title of the present section at the top of the screen once its heading has been scrolled away, with the
 * day if it is known. The next heading pushes the title off. Assistive technology uses the heading itself.
 */
export class StickyTitle {
  #element = find('#sticky-title');
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
    const { title, months, begin, end } = geometry.partAt(scroller.offset);
    const isPast = title !== '' && scroller.offset >= begin;
    if (isPast) this.#say(title, months, this.#grid.topDay);
    if (this.#element.hidden === isPast) this.#element.hidden = !isPast;
    if (!isPast) return;
    this.#element.style.transform = `translateY(${Math.min(0, end - scroller.offset - titleHeight)}px)`;
  }

  /**
   * @param {string} title
   * @param {string[]} months
   * @param {string} day
   */
  #say(title, months, day) {
    if (title === this.#title && day === this.#day) return;
    this.#title = title;
    this.#day = day;
    // An inserted image may belong to another month until its position is known.
    this.#element.textContent = months.includes(day.slice(0, 7)) ? nameOfDay(day) : title;
  }
}
