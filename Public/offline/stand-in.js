import { formatNumber } from '../page/numbers.js';
import { nearestKept } from './nearest-kept.js';

/**
 * @typedef {import('../catalog/view.js').View} View
 * @typedef {import('../page/address.js').Place | {image: string} | {}} Start
 */

/** The pause between attempts to get what was wanted. Milliseconds. */
const retryDelay = 2_000;

/**
 * Shows what is stored in place of what cannot be had while the server is out of reach, and says so. When the server is
 * back, it leads to what was wanted, unless the user has moved on.
 */
export class StandIn {
  #parts;
  /** What was wanted to start with, and the slot that is shown instead; null if nothing stands in. */
  #wanted = /** @type {{start: Start, shown: number} | null} */ (null);
  #triedAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {{finding: import('../finding/finding.js').Finding, pages: import('../catalog/pages.js').Pages,
   *   reordering: import('../catalog/reordering.js').Reordering, grid: import('../grid/grid.js').Grid,
   *   connection: import('../catalog/connection.js').Connection, banner: import('../page/banner.js').Banner,
   *   startAgain: () => void}} parts  `startAgain`: displays what the address names.
   */
  constructor(parts) {
    this.#parts = parts;
    parts.connection.addEventListener('answered', () => this.#returnSoon());
    parts.finding.addEventListener('displayed', () => this.#end());
  }

  /**
   * Shows the nearest place that is stored, unless another view is displayed already, which then stays.
   * @param {Start} start  What the view was to start with.
   */
  async show(start) {
    const { finding, pages, reordering, grid, connection, banner } = this.#parts;
    const wanted = { view: finding.requested, index: 'index' in start ? start.index : 0 };
    let shown = grid.position;
    if (pages.total === undefined) {
      const kept = globalThis.caches && (await nearestKept(caches, wanted).catch(() => undefined));
      if (!kept || wanted.view !== finding.requested || pages.total !== undefined) return;
      const index = await reordering.show(kept.view, { at: kept.index });
      if (index === undefined) return;
      shown = index;
    }
    this.#wanted ??= { start, shown };
    const place = { view: pages.view, index: shown };
    banner.explain('image' in start ? sentenceOfImage(place) : sentenceOf(wanted, place));
    // The request alone may have failed.
    if (!connection.isDoubtful) this.#returnSoon();
  }

  #returnSoon() {
    if (!this.#wanted) return;
    clearTimeout(this.#timer);
    const due = this.#triedAt + retryDelay;
    this.#timer = setTimeout(() => this.#return(), Math.max(0, due - performance.now()));
  }

  /** Displays what was wanted. If it fails again, there will be another `answered`. */
  async #return() {
    if (!this.#wanted) return;
    this.#triedAt = performance.now();
    const { finding, pages, grid, startAgain } = this.#parts;
    const { start, shown } = this.#wanted;
    if ('image' in start && grid.position === shown) {
      startAgain();
      return;
    }
    const place = 'index' in start && grid.position === shown ? start : { index: 0, within: 0 };
    // The user is in the wanted view, and has moved on.
    if (finding.requested.equals(pages.view) && place !== start) this.#end();
    else {
      const index = await finding.show(finding.requested, { at: place.index }).catch(() => undefined);
      if (index !== undefined) grid.goTo(index, place.within);
    }
  }

  #end() {
    clearTimeout(this.#timer);
    this.#wanted = null;
    this.#parts.banner.explain('');
  }
}

/**
 * What is shown in place of something else.
 * @param {import('./nearest-kept.js').KeptPlace} wanted
 * @param {import('./nearest-kept.js').KeptPlace} shown
 */
export function sentenceOf(wanted, shown) {
  if (wanted.view.equals(shown.view)) {
    const [one, other] = [wanted, shown].map(({ index }) => formatNumber(index + 1));
    return `Picture ${one} is not saved on this device. Showing picture ${other}, the nearest that is.`;
  }
  const { q, folder } = wanted.view;
  const other = nameOf(shown.view);
  if (q !== shown.view.q) return `This search needs the server. Showing ${other} instead.`;
  if (folder !== shown.view.folder) return `That folder is not saved on this device. Showing ${other} instead.`;
  return `This order is not saved on this device. Showing ${other} in another order.`;
}

/** @param {import('./nearest-kept.js').KeptPlace} shown */
function sentenceOfImage({ view }) {
  return `That picture cannot be opened without the server. Showing ${nameOf(view)} instead.`;
}

/** @param {View} view */
function nameOf({ q, folder }) {
  if (q) return `results for “${q}”`;
  return folder ? `the folder ${folder}` : 'all pictures';
}
