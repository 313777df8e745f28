/** Runs tasks one after the other; a task that fails does not stop the next. */
export class SerialQueue {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}  Settles as the work does.
   */
  run(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
