import { Draft } from './draft.js';
import { Whereabouts } from './whereabouts.js';

/**
 * @typedef {import('./view.js').View} View
 * @typedef {{id: string, index: number, isUndated?: boolean}} Landmark  An image that is known, and where it stands in the
 *   order shown. `isUndated`: among those without a date, and of no use elsewhere: whoever looks at these goes on doing so
 *   while one after the other gets its date.
 * @typedef {{landmarks: () => Landmark[], follow: (index: number) => void}} Follower  What stays with a picture. Of its
 *   landmarks the first that is still there counts; none while it has nothing to stay with.
 * @typedef {{first: number, last: number, before: number, after: number}} Span  The slots on screen, and how many before
 *   and after the first one are in the document.
 * @typedef {{span: Span, isKnown: boolean, landmarks: () => Landmark[]}} Ground  What is on screen; `isKnown`: all
 *   of it.
 */

/**
 * Shows another order without anybody losing sight of a picture. When the catalog has changed, the new order is read
 * around the pictures that are on screen, and shown when enough of it is here to put every one of them where it was; who
 * follows a picture is told where it stands now. Another view begins with the picture that was at the top.
 */
export class Reordering {
  /** While the catalog is being read its revision runs; it is followed at this pace, not at the network's. */
  static #pace = 500;
  /** The same where something on screen is not known at all: the order that is shown can be learnt no further. */
  static #urgentPace = 150;
  /** After a failure. Milliseconds. */
  static #patience = 2_000;
  /** An order that changes while it is read is read again so often before it is shown as it is. */
  static #rounds = 5;
  #pages;
  #server;
  #ground;
  #followers;
  /** Counts what is begun, so that what comes late can be told apart. */
  #turn = 0;
  #isFollowing = false;
  #followedAt = -Infinity;
  /** Until when nothing is asked for after a failure. */
  #pausedUntil = -Infinity;
  /** When the timer rings. */
  #due = Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {{pages: import('./pages.js').Pages, ground: Ground, followers: Follower[],
   *   server: Pick<import('./server.js').Server, 'page' | 'position' | 'timeline'>}} parts
   */
  constructor({ pages, server, ground, followers }) {
    this.#pages = pages;
    this.#server = server;
    this.#ground = ground;
    this.#followers = followers;
    pages.addEventListener('news', () => this.#followSoon());
  }

  /**
   * Begins to show a view. Who asks for another one before this one is here gets that alone.
   * @param {View} view
   * @param {{at?: number, image?: string}} [start]  Where to begin: with this slot or this image, or else at
   *   the beginning.
   * @returns {Promise<number | undefined>}  The slot that it began with; undefined if another view was asked for since.
   * @throws {import('./problem.js').Problem}
   */
  async show(view, { at = 0, image } = {}) {
    const turn = (this.#turn += 1);
    const draft = new Draft(this.#server, view);
    const { before, after } = this.#ground.span;
    try {
      const [index] = await Promise.all([
        image === undefined ? undefined : this.#server.position(view, image),
        draft.load(at - before, at + after),
      ]);
      const start = Math.max(0, Math.min(index ?? at, (draft.total ?? 0) - 1));
      await draft.load(start - before, start + after);
      if (turn !== this.#turn) return undefined;
      this.#pages.adopt(draft, { from: this.#ground.span.first, to: start, isOtherView: true });
      return start;
    } catch (problem) {
      if (turn !== this.#turn) return undefined;
      // What is shown goes on being shown, as it is now.
      if (this.#pages.isOld) this.#followSoon();
      throw problem;
    }
  }

  #followSoon() {
    if (this.#isFollowing) return;
    const pace = this.#ground.isKnown ? Reordering.#pace : Reordering.#urgentPace;
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
    this.#pausedUntil = performance.now() + ((problem.retryAfter ?? 0) * 1_000 || Reordering.#patience);
    this.#followSoon();
  }

  /** @param {View} view */
  async #follow(view) {
    const turn = this.#turn;
    const draft = new Draft(this.#server, view);
    const whereabouts = new Whereabouts(this.#server, draft);
    const { first, before, after } = this.#ground.span;
    await Promise.all([
      draft.load(first - before, first + after),
      ...this.#landmarks().map((landmarks) => whereabouts.ask(landmarks.slice(0, 1))),
    ]);
    for (let round = 1; ; round += 1) {
      // Another view was asked for since.
      if (turn !== this.#turn) return;
      const all = this.#landmarks();
      const move = this.#moveOf(all[0], whereabouts, draft.total ?? 0);
      const runs = [[move.to - before, move.to + after], ...whereabouts.around(all.slice(1))];
      const unread = runs.filter(([from, to]) => !draft.covers(from, to));
      if (unread.length === 0) all.forEach((landmarks) => whereabouts.forgetWrong(landmarks));
      const lost = all.filter((landmarks) => whereabouts.isToBeSought(landmarks));
      if ((unread.length === 0 && lost.length === 0) || round === Reordering.#rounds) {
        this.#adopt(draft, move, all.slice(1), whereabouts);
        return;
      }
      for (const [from, to] of unread) await draft.load(from, to);
      await Promise.all(lost.map((landmarks) => whereabouts.seek(landmarks)));
    }
  }

  #landmarks() {
    return [this.#ground, ...this.#followers].map((each) => each.landmarks());
  }

  /**
   * @param {Landmark[]} landmarks
   * @param {Whereabouts} whereabouts
   * @param {number} total
   */
  #moveOf(landmarks, whereabouts, total) {
    const { first, last } = this.#ground.span;
    const kept = whereabouts.first(landmarks);
    if (kept) {
      // What is on screen stays there; what is not takes the place of what was.
      const isOnScreen = kept.index >= first && kept.index <= last;
      return { from: isOnScreen ? kept.index : first, to: kept.place, isOtherView: false };
    }
    // Where nothing is left of what is known, the place is kept, as far as there is one.
    return { from: first, to: Math.min(first, Math.max(0, total - 1)), isOtherView: false };
  }

  /**
   * @param {Draft} draft
   * @param {import('./pages.js').Move} move
   * @param {Landmark[][]} followed
   * @param {Whereabouts} whereabouts
   */
  #adopt(draft, move, followed, whereabouts) {
    this.#pages.adopt(draft, move);
    const last = Math.max(0, (draft.total ?? 0) - 1);
    followed.forEach((landmarks, at) => {
      if (landmarks.length === 0) return;
      const place = whereabouts.first(landmarks)?.place ?? landmarks[0].index + move.to - move.from;
      this.#followers[at].follow(Math.max(0, Math.min(place, last)));
    });
  }
}
