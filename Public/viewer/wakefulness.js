/** Keeps the screen on during a slideshow, if the browser can (Screen Wake Lock). */
export class Wakefulness {
  #isWanted = false;
  /** @type {WakeLockSentinel | null} */
  #lock = null;

  constructor() {
    // The browser releases the lock when the page is hidden.
    document.addEventListener('visibilitychange', () => this.keep(this.#isWanted));
  }

  /** @param {boolean} isWanted */
  async keep(isWanted) {
    this.#isWanted = isWanted;
    if (!isWanted) {
      const lock = this.#lock;
      this.#lock = null;
      await lock?.release().catch(() => {});
      return;
    }
    if (document.hidden || (this.#lock && !this.#lock.released)) return;
    try {
      const lock = (await navigator.wakeLock?.request('screen')) ?? null;
      // There may have been two requests meanwhile.
      await this.#lock?.release().catch(() => {});
      this.#lock = lock;
    } catch {
      // A low battery, or no permission: the screen may go dark.
      return;
    }
    if (!this.#isWanted) await this.keep(false);
  }
}
