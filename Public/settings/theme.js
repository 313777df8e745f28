import { readPreference, savePreference } from '../page/memory.js';

const preferenceName = 'theme';

/** Whether the page is light or dark; as the system is unless the user chose otherwise. `ahead.js` applies the choice. */
export class Theme {
  /** @returns {string}  `light`, `dark` or `system`. */
  static get chosen() {
    return readPreference(preferenceName) ?? 'system';
  }

  static set chosen(theme) {
    savePreference(preferenceName, theme);
    document.documentElement.dataset.theme = theme;
  }
}
