import { Arrangement } from './arrangement.js';
import { Geometry } from './geometry.js';
import { hasRun, keptRuns } from './kept-rows.js';

/** Makes the geometry of what is shown: of the order, as it is liked, on the screen as it is now. */
export class GeometryMaker {
  #element;
  #pages;
  /** How people like the pictures laid out. */
  arrangement = new Arrangement();
  /**
   * Of the order that is shown.
   * @type {import('./sections.js').Part[]}
   */
  parts = [];

  /**
   * @param {HTMLElement} element  The grid's.
   * @param {Pick<import('../catalog/pages.js').Pages, 'shape' | 'imageAt'>} pages
   */
  constructor(element, pages) {
    this.#element = element;
    this.#pages = pages;
  }

  /** @param {import('./arrangement.js').Bent} [bent]  What stays as it was. */
  make(bent) {
    const style = getComputedStyle(this.#element);
    // Beneath it there may be a bar.
    const around = this.#element.offsetTop + Number.parseFloat(style.marginBottom);
    const height = Math.max(1, innerHeight - around);
    const gap = Number.parseFloat(style.getPropertyValue('--gap')) || 4;
    const screen = { width: this.#element.clientWidth, height, gap };
    return new Geometry({
      height,
      parts: this.parts,
      layout: this.arrangement.layout(screen, this.#pages.shape, bent),
      heading: Number.parseFloat(style.getPropertyValue('--heading')) || 48,
    });
  }

  /**
   * On another screen, perhaps: what stayed as it was goes on doing so where that makes no difference to it.
   * @param {Geometry} before
   */
  makeAgain(before) {
    const next = this.make({ leads: before.leads, ...before.layout.bent });
    return next.layout.isLike(before.layout) ? next : this.make();
  }

  /**
   * In another order, with what is on screen where it is: rows stay as they are, and others are made around them; of tiles,
   * a number that does not fill a row is made up for by the empty places before the first slot of its part.
   * @param {Geometry} before
   * @param {number} from  Where a picture stood, and
   * @param {number} to  where it stands.
   * @param {import('./kept-rows.js').ShownRow[]} shown
   */
  makeAround(before, from, to, shown) {
    const straight = this.make();
    if (!before.layout.isLike(straight.layout)) return straight;
    if (!before.layout.bent) {
      return this.make({ leads: before.leads, pinned: { slot: to, column: before.columnOf(from) } });
    }
    const begins = [0];
    for (const { count } of this.parts) begins.push(begins[begins.length - 1] + count);
    const runs = keptRuns(shown, from, to, (slot) => this.#pages.imageAt(slot)?.id, begins);
    return runs.every((run) => hasRun(run, straight)) ? straight : this.make({ runs });
  }
}
