/**
 * @typedef {import('./pending-order.js').PendingOrder} PendingOrder
 * @typedef {import('./reordering.js').Anchor} Anchor
 */

/** Which anchors to ask for, by number: near ones rather than far ones. */
const anchorNumbers = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];

/** The positions of anchors in a pending order. */
export class AnchorPositions {
  #server;
  #pending;
  /**
   * The server's answers; undefined for images that are not in the order.
   * @type {Map<string, number | undefined>}
   */
  #said = new Map();

  /**
   * @param {Pick<import('./server.js').Server, 'position' | 'presentID'>} server
   * @param {PendingOrder} pending
   */
  constructor(server, pending) {
    this.#server = server;
    this.#pending = pending;
  }

  /**
   * @param {Anchor} anchor
   * @returns {number | undefined}  Also undefined for an image that has got a date while the user was looking at those
   *   without one.
   */
  #of({ id, isUndated }) {
    const place = this.#indexOf(id) ?? this.#said.get(id);
    return isUndated && place !== undefined && place < this.#pending.undatedFrom ? undefined : place;
  }

  /**
   * As far as the order has been read.
   * @param {string} id
   */
  #indexOf(id) {
    return this.#pending.indexOf(this.#server.presentID(id));
  }

  /**
   * The first anchor known to be in the order.
   * @param {Anchor[]} anchors
   */
  first(anchors) {
    for (const anchor of anchors) {
      const place = this.#of(anchor);
      if (place !== undefined) return { index: anchor.index, place };
    }
    return undefined;
  }

  /**
   * The slots around each follower's future position: runs of slots, both ends inclusive.
   * @param {Anchor[][]} followed
   */
  around(followed) {
    return followed.flatMap((anchors) => {
      const found = this.first(anchors);
      return found ? [[found.place - 1, found.place + 1]] : [];
    });
  }

  /**
   * Whether asking the server could reveal a better anchor.
   * @param {Anchor[]} anchors
   */
  isToBeSought(anchors) {
    if (anchors.length === 0) return false;
    return this.#of(anchors[0]) === undefined && this.#unasked(anchors).length > 0;
  }

  /** @param {Anchor[]} anchors */
  seek(anchors) {
    return this.ask(this.#said.has(anchors[0].id) ? this.#unasked(anchors) : anchors.slice(0, 1));
  }

  /**
   * Anchors that may still exist and are nearer than the first one known to exist.
   * @param {Anchor[]} anchors
   */
  #unasked(anchors) {
    const known = anchors.findIndex((anchor) => this.#of(anchor) !== undefined);
    const tried = anchorNumbers.filter((at) => known < 0 || at < known);
    return tried.flatMap((at) => anchors[at] ?? []).filter(({ id }) => !this.#said.has(id));
  }

  /** @param {Anchor[]} anchors */
  async ask(anchors) {
    const unknown = anchors.filter((anchor) => this.#of(anchor) === undefined && !this.#said.has(anchor.id));
    await Promise.all(unknown.map(async ({ id }) => {
      this.#said.set(id, await this.#server.position(this.#pending.view, id));
    }));
  }

  /**
   * Forgets a position that the pages contradict: the order may have changed since the server gave it.
   * @param {Anchor[]} anchors
   */
  forgetWrong(anchors) {
    const wrong = anchors.find((anchor) => this.#of(anchor) !== undefined);
    if (wrong && this.#indexOf(wrong.id) === undefined) this.#said.delete(wrong.id);
  }
}
