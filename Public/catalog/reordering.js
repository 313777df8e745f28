import { PendingOrder, pageOf } from './pending-order.js';
import { Unreachable } from './server.js';
import { AnchorPositions } from './anchor-positions.js';

/**
 * @typedef {import('./view.js').View} View
 * @typedef {{id: string, index: number, isUndated?: boolean}} Anchor  A known image and its position in the displayed
 *   order. `isUndated`: it has no date, and no longer serves as an anchor once it has one: a user who looks at images
 *   without a date stays with them while they get their dates one after the other.
 * @typedef {{anchors: () => Anchor[], follow: (index: number) => void}} Follower  A part of the page that stays with an
 *   image. The first of its anchors that still exists counts; it has none while there is nothing to stay with.
 * @typedef {{first: number, last: number, before: number, after: number}} Span  The slots on screen, and how many
 *   before and after the first one are in the document.
 * @typedef {{span: Span, isKnown: boolean, anchors: () => Anchor[]}} Ground  The viewport; `isKnown`: every image in it
 *   is known.
 */

/**
 * While the catalog is being scanned, its revision changes constantly; the page follows at this pace and not at the
 * network's.
 */
const calmInterval = 500;
/** The same while an image on screen is unknown: the displayed order cannot supply it any more. */
const urgentInterval = 150;
/** After a failure. Milliseconds. */
const retryDelay = 2_000;
/** How often an order that changes while it is read is read again before it is displayed as it is. */
const rounds = 5;

/**
 * Switches to another order without the user losing sight of an image. When the catalog has changed, the new order is
 * read around the images on screen, and displayed once enough of it is here to put each of them where it was; followers
 * are told the new position of their image. Another view starts with the image that was at the top.
 */
export class Reordering {
  #pages;
  #server;
  #ground;
  #followers;
  /** Numbers each switch, so that late answers can be told apart. */
  #turn = 0;
  #isFollowing = false;
  #followedAt = -Infinity;
  /** No request is sent before this time, after a failure. */
  #pausedUntil = -Infinity;
  /** When the timer fires. */
  #due = Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {{pages: import('./pages.js').Pages, ground: Ground, followers: Follower[],
   *   server: Pick<import('./server.js').Server, 'page' | 'position' | 'presentID' | 'timeline' | 'shape' | 'ratios'>}} parts
   */
  constructor({ pages, server, ground, followers }) {
    this.#pages = pages;
    this.#server = server;
    this.#ground = ground;
    this.#followers = followers;
    pages.addEventListener('outdated', () => this.#followSoon());
  }

  /**
   * Switches to a view. If another one is requested before this one has arrived, only that one is displayed.
   * @param {View} view
   * @param {{at?: number, image?: string}} start  The slot or the image to start with; the beginning by default.
   * @returns {Promise<number | undefined>}  The slot it started with; undefined if another view was requested since.
   * @throws {import('./problem.js').Problem}
   */
  async show(view, { at = 0, image } = {}) {
    const turn = (this.#turn += 1);
    const pending = new PendingOrder(this.#server, view, { isPartial: true });
    const { before, after } = this.#ground.span;
    try {
      const [index] = await Promise.all([
        image === undefined ? undefined : this.#server.position(view, image),
        pending.load(at - before, at + after),
      ]);
      const start = Math.max(0, Math.min(index ?? at, (pending.total ?? 0) - 1));
      await pending.load(start - before, start + after);
      if (turn !== this.#turn) return undefined;
      if ((pending.total ?? 0) > 0 && !pending.pages.has(pageOf(start))) throw new Unreachable();
      this.#pages.adopt(pending, { from: this.#ground.span.first, to: start, isOtherView: true });
      return start;
    } catch (problem) {
      if (turn !== this.#turn) return undefined;
      // The displayed view stays, and is brought up to date.
      if (this.#pages.isOld) this.#followSoon();
      throw problem;
    }
  }

  #followSoon() {
    if (this.#isFollowing) return;
    const pace = this.#ground.isKnown ? calmInterval : urgentInterval;
    const due = Math.max(this.#followedAt, this.#pausedUntil) + pace;
    if (this.#timer !== undefined && due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => this.#begin(), Math.max(0, due - performance.now()));
  }

  async #begin() {
    this.#timer = undefined;
    if (!this.#pages.isOld) return;
    this.#isFollowing = true;
    this.#followedAt = performance.now();
    try {
      await this.#follow(this.#pages.view);
      this.#isFollowing = false;
      if (this.#pages.isOld) this.#followSoon();
    } catch (problem) {
      this.#isFollowing = false;
      this.#failed(/** @type {import('./problem.js').Problem} */ (problem));
    }
  }

  /** @param {import('./problem.js').Problem} problem */
  #failed(problem) {
    this.#pages.report(problem);
    this.#pausedUntil = performance.now() + ((problem.retryAfter ?? 0) * 1_000 || retryDelay);
    this.#followSoon();
  }

  /** @param {View} view */
  async #follow(view) {
    const turn = this.#turn;
    const pending = new PendingOrder(this.#server, view);
    const positions = new AnchorPositions(this.#server, pending);
    const { first, before, after } = this.#ground.span;
    await Promise.all([
      pending.load(first - before, first + after),
      ...this.#anchors().map((anchors) => positions.ask(anchors.slice(0, 1))),
    ]);
    for (let round = 1; ; round += 1) {
      // Another view was requested since.
      if (turn !== this.#turn) return;
      const all = this.#anchors();
      const move = this.#moveOf(all[0], positions, pending.total ?? 0);
      const runs = [[move.to - before, move.to + after], ...positions.around(all.slice(1))];
      const unread = runs.filter(([from, to]) => !pending.covers(from, to));
      if (unread.length === 0) all.forEach((anchors) => positions.forgetWrong(anchors));
      const lost = all.filter((anchors) => positions.isToBeSought(anchors));
      if ((unread.length === 0 && lost.length === 0) || round === rounds) {
        this.#adopt(pending, move, all.slice(1), positions);
        return;
      }
      for (const [from, to] of unread) await pending.load(from, to);
      await Promise.all(lost.map((anchors) => positions.seek(anchors)));
    }
  }

  #anchors() {
    return [this.#ground, ...this.#followers].map((each) => each.anchors());
  }

  /**
   * @param {Anchor[]} anchors
   * @param {AnchorPositions} positions
   * @param {number} total
   */
  #moveOf(anchors, positions, total) {
    const { first, last } = this.#ground.span;
    const kept = positions.first(anchors);
    if (kept) {
      // An anchor on screen stays where it is; one that is not takes the place of the first slot.
      const isOnScreen = kept.index >= first && kept.index <= last;
      return { from: isOnScreen ? kept.index : first, to: kept.place, isOtherView: false };
    }
    // No known image is left: keep the position, as far as it exists.
    return { from: first, to: Math.min(first, Math.max(0, total - 1)), isOtherView: false };
  }

  /**
   * @param {PendingOrder} pending
   * @param {import('./pages.js').Move} move
   * @param {Anchor[][]} followed
   * @param {AnchorPositions} positions
   */
  #adopt(pending, move, followed, positions) {
    this.#pages.adopt(pending, move);
    const last = Math.max(0, (pending.total ?? 0) - 1);
    followed.forEach((anchors, at) => {
      if (anchors.length === 0) return;
      const place = positions.first(anchors)?.place ?? anchors[0].index + move.to - move.from;
      this.#followers[at].follow(Math.max(0, Math.min(place, last)));
    });
  }
}
