import { needsSame, savesData } from '../loading/sizes.js';
import { Motion } from './motion.js';

/**
 * @typedef {import('./stream.js').Report} Report
 * @typedef {import('../grid/grid.js').Grid} Grid
 */

/**
 * Tells the stream what is on screen: once a frame while it moves, where it is going and how fast, and in the first
 * frame without movement that it has stopped. At rest it does nothing. While a picture is looked at large, it and its
 * neighbours are what is on screen, and the grid beneath is not.
 */
export class ViewportReport {
  /** A change of velocity that is worth telling, as a share of it. */
  static #notable = 0.08;

  /** Slots a second; a leap may look faster, and the stream takes no more. */
  static #fastest = 1e6;

  #grid;
  #pages;
  #way;
  #lane;
  #viewer;
  #motion = new Motion();
  #isWatching = false;
  /** @type {Report | null} */
  #last = null;

  /**
   * @param {{grid: Grid, pages: import('../catalog/pages.js').Pages, way: import('../loading/way.js').Way,
   *   lane: import('../loading/lane.js').Lane, viewer: import('../viewer/viewer.js').Viewer}} parts  `lane`: the grid's.
   */
  constructor({ grid, pages, way, lane, viewer }) {
    this.#grid = grid;
    this.#pages = pages;
    this.#way = way;
    this.#lane = lane;
    this.#viewer = viewer;
    grid.addEventListener('move', () => this.#moved());
    viewer.addEventListener('look', () => this.#tell());
  }

  /** The grid was laid out anew, or another part of it is on screen. */
  #moved() {
    // A leap is not a movement that is going on: it is told at once.
    if (this.#grid.scroller.velocity === 0) this.#tell();
    if (this.#isWatching) return;
    this.#isWatching = true;
    requestAnimationFrame((time) => this.#watch(time));
  }

  /** @param {number} time */
  #watch(time) {
    const { offset, slid } = this.#grid.scroller;
    this.#motion.add(time, offset - slid);
    this.#tell();
    this.#isWatching = this.#motion.velocity !== 0 || this.#grid.scroller.velocity !== 0;
    if (this.#isWatching) requestAnimationFrame((next) => this.#watch(next));
  }

  #tell() {
    const seen = this.#viewer.sight ?? this.#sightOfGrid();
    if (!seen) return;
    // The plain view goes without saying.
    const report = { view: this.#pages.view.text || undefined, revision: this.#pages.revision, ...seen };
    if (this.#last && !isNews(this.#last, report, ViewportReport.#notable)) return;
    this.#last = report;
    this.#way.look(report);
  }

  /** @returns {import('./stream.js').Sight | null} */
  #sightOfGrid() {
    const { geometry, scroller } = this.#grid;
    const { first, last } = geometry.slotsAt(scroller.offset);
    if (last < first) return null;
    const velocity = this.#motion.velocity * geometry.densityAt(scroller.offset);
    const landing = this.#motion.landing;
    const needed = need(geometry.neededAt(scroller.offset));
    this.#lane.look(needed);
    return {
      first,
      count: last - first + 1,
      direction: Math.sign(velocity),
      velocity: Math.min(ViewportReport.#fastest, Math.round(Math.abs(velocity))),
      landing: landing === undefined ? undefined : geometry.landingSlot(landing + scroller.slid),
      ...needed,
    };
  }
}

/**
 * @param {{length: number, side: Report['side']}} needed  In CSS pixels.
 * @returns {import('../loading/sizes.js').Need}
 */
function need({ length, side }) {
  return { pixels: Math.ceil(length * devicePixelRatio), side, saveData: savesData() || undefined };
}

/**
 * @param {Report} before
 * @param {Report} now
 * @param {number} notable
 */
function isNews(before, now, notable) {
  return (
    before.view !== now.view || before.revision !== now.revision ||
    before.first !== now.first || before.count !== now.count ||
    before.ahead !== now.ahead || before.behind !== now.behind ||
    !needsSame(before, now) ||
    before.landing !== now.landing || before.direction !== now.direction ||
    Math.abs(before.velocity - now.velocity) > notable * before.velocity
  );
}
