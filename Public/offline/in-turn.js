/** Work that is done one piece after the other; a piece that fails holds up none. */
export class InTurn {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}  As the work ends.
   */
  run(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
