import { Arrangement } from './arrangement.js';
import { Geometry } from './geometry.js';
import { joinShort } from './months.js';
import { hasRun, keptRuns } from './kept-rows.js';

/** Neighbouring months with fewer images than this each, or with less than a row, share a heading. */
const fewestPerHeading = 6;

/** Makes the geometry of the displayed order in the user's arrangement on the present screen. */
export class GeometryMaker {
  #element;
  #pages;
  /** The user's arrangement. */
  arrangement = new Arrangement();
  /**
   * The parts of the displayed order.
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

  /** @param {import('./arrangement.js').Bent} [bent]  What to keep as it was. */
  make(bent) {
    const style = getComputedStyle(this.#element);
    // There may be a bar below the grid.
    const around = this.#element.offsetTop + Number.parseFloat(style.marginBottom);
    const height = Math.max(1, innerHeight - around);
    const gap = Number.parseFloat(style.getPropertyValue('--gap')) || 4;
    const screen = { width: this.#element.clientWidth, height, gap };
    const layout = this.arrangement.layout(screen, this.#pages.shape, bent);
    return new Geometry({
      height,
      parts: joinShort(this.parts, Math.max(fewestPerHeading, layout.inRow)),
      layout,
      heading: Number.parseFloat(style.getPropertyValue('--heading')) || 48,
    });
  }

  /**
   * The geometry for a new screen size. Rows that were kept in place stay there if the new size makes no difference to
   * them.
   * @param {Geometry} before
   */
  makeAgain(before) {
    const next = this.make({ leads: before.leads, ...before.layout.bent });
    return next.layout.isLike(before.layout) ? next : this.make();
  }

  /**
   * The geometry of another order that keeps the rows on screen in place: these stay as they are, and others are made
   * around them; with tiles, empty places at the start of a part fill up its first row.
   * @param {Geometry} before
   * @param {number} from  The former position of an image, and
   * @param {number} to  its position now.
   * @param {import('./kept-rows.js').ShownRow[]} shown
   */
  makeAround(before, from, to, shown) {
    const straight = this.make();
    if (!before.layout.isLike(straight.layout)) return straight;
    if (!before.layout.bent) {
      return this.make({ leads: before.leads, pinned: { slot: to, column: before.columnOf(from) } });
    }
    const begins = [0];
    for (const { count } of straight.parts) begins.push(begins[begins.length - 1] + count);
    const runs = keptRuns(shown, from, to, (slot) => this.#pages.imageAt(slot)?.id, begins);
    return runs.every((run) => hasRun(run, straight)) ? straight : this.make({ runs });
  }
}
