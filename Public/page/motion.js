import { readPreference, savePreference } from './memory.js';

const system = matchMedia('(prefers-reduced-motion: reduce)');
const name = 'motion';

/**
 * Whether things move on the page: not if the user asked this page or the system for less motion. For style sheets it is
 * `data-still` of the document, which `ahead.js` sets before the first paint.
 */
export class Motion {
  /** @returns {string}  `reduced`, or `system` for what the system says. */
  static get chosen() {
    return readPreference(name) ?? 'system';
  }

  static set chosen(motion) {
    savePreference(name, motion);
    Motion.#apply();
  }

  static get isReduced() {
    return Motion.chosen === 'reduced' || system.matches;
  }

  static #apply() {
    document.documentElement.toggleAttribute('data-still', Motion.isReduced);
  }

  static {
    system.addEventListener('change', () => Motion.#apply());
  }
}
