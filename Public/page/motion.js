import { readPreference, savePreference } from './memory.js';

const system = matchMedia('(prefers-reduced-motion: reduce)');
const preferenceName = 'motion';

/**
 * Whether the page shows animations: it does not if the user asked the page or the system for reduced motion. Style
 * sheets see that as `data-reduced-motion` on the root element, which `ahead.js` sets before the first paint.
 */
export class Motion {
  /** @returns {string}  `reduced`, or `system` to follow the system. */
  static get chosen() {
    return readPreference(preferenceName) ?? 'system';
  }

  static set chosen(motion) {
    savePreference(preferenceName, motion);
    apply();
  }

  static get isReduced() {
    return Motion.chosen === 'reduced' || system.matches;
  }
}

function apply() {
  document.documentElement.toggleAttribute('data-reduced-motion', Motion.isReduced);
}

system.addEventListener('change', apply);
