import { needsSame, savesData } from '../loading/sizes.js';
import { Motion } from './motion.js';

/**
 * @typedef {import('./stream.js').Report} Report
 * @typedef {import('../grid/grid.js').Grid} Grid
 */

/** A change of velocity worth reporting, as a share of it. */
const notableShare = 0.08;
/** Slots per second: a leap may look faster, and the stream accepts no more. */
const highestVelocity = 1e6;

/**
 * Reports the viewport to the stream: once a frame during a scroll, with its direction and velocity, and in the first
 * frame without movement that it has stopped. At rest it does nothing. While the viewer is open, its image and the
 * neighbours are the viewport, and the grid below is not.
 */
export class ViewportReport {
  #grid;
  #pages;
  #transport;
  #slotGroup;
  #viewer;
  #motion = new Motion();
  #isWatching = false;
  /** @type {Report | null} */
  #last = null;

  /**
   * @param {{grid: Grid, pages: import('../catalog/pages.js').Pages, transport: import('../loading/transport.js').Transport,
   *   slotGroup: import('../loading/slot-group.js').SlotGroup, viewer: import('../viewer/viewer-on-demand.js').ViewerOnDemand}} parts
   *   `slotGroup`: the grid's.
   */
  constructor({ grid, pages, transport, slotGroup, viewer }) {
    this.#grid = grid;
    this.#pages = pages;
    this.#transport = transport;
    this.#slotGroup = slotGroup;
    this.#viewer = viewer;
    grid.addEventListener('move', () => this.#moved());
    viewer.addEventListener('viewchange', () => this.#send());
  }

  /** The grid was laid out again, or scrolled. */
  #moved() {
    // A leap is no continuing movement: report it at once.
    if (this.#grid.scroller.velocity === 0) this.#send();
    if (this.#isWatching) return;
    this.#isWatching = true;
    requestAnimationFrame((time) => this.#watch(time));
  }

  /** @param {number} time */
  #watch(time) {
    const { offset, slid } = this.#grid.scroller;
    this.#motion.add(time, offset - slid);
    this.#send();
    this.#isWatching = this.#motion.velocity !== 0 || this.#grid.scroller.velocity !== 0;
    if (this.#isWatching) requestAnimationFrame((next) => this.#watch(next));
  }

  #send() {
    const seen = this.#viewer.sight ?? this.#sightOfGrid();
    if (!seen) return;
    // The default view needs no mention.
    const report = { view: this.#pages.view.text || undefined, revision: this.#pages.revision, ...seen };
    if (this.#last && !differsNotably(this.#last, report, notableShare)) return;
    this.#last = report;
    this.#transport.viewportChanged(report);
  }

  /** @returns {import('./stream.js').Sight | null} */
  #sightOfGrid() {
    const { geometry, scroller } = this.#grid;
    const { first, last } = geometry.slotsAt(scroller.offset);
    if (last < first) return null;
    const velocity = this.#motion.velocity * geometry.densityAt(scroller.offset);
    const landing = this.#motion.landing;
    const needed = need(geometry.neededAt(scroller.offset));
    this.#slotGroup.setNeed(needed);
    return {
      first,
      count: last - first + 1,
      direction: Math.sign(velocity),
      velocity: Math.min(highestVelocity, Math.round(Math.abs(velocity))),
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
function differsNotably(before, now, notable) {
  return (
    before.view !== now.view || before.revision !== now.revision ||
    before.first !== now.first || before.count !== now.count ||
    before.ahead !== now.ahead || before.behind !== now.behind ||
    !needsSame(before, now) ||
    before.landing !== now.landing || before.direction !== now.direction ||
    Math.abs(before.velocity - now.velocity) > notable * before.velocity
  );
}
