import { readPreference, savePreference } from '../page/memory.js';

/** Whether the page is light or dark; as the system is unless the user chose otherwise. `ahead.js` applies the choice. */
export class Theme {
  static #name = 'theme';

  /** @returns {string}  `light`, `dark` or `system`. */
  static get chosen() {
    return readPreference(Theme.#name) ?? 'system';
  }

  static set chosen(theme) {
    savePreference(Theme.#name, theme);
    document.documentElement.dataset.theme = theme;
  }
}
