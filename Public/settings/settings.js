import { loadLater } from '../page/loading-later.js';
import { find } from '../page/template.js';

/** The entry of the navigation that opens the settings. */
export class Settings {
  #parts;
  /** @type {import('./settings-sheet.js').SettingsSheet | undefined} */
  #sheet;

  /** @param {ConstructorParameters<typeof import('./settings-sheet.js').SettingsSheet>[0]} parts */
  constructor(parts) {
    this.#parts = parts;
    find('#settings-button').addEventListener('click', () => this.#open());
  }

  async #open() {
    const later = this.#sheet ? undefined : await loadLater();
    if (later) this.#sheet ??= new later.SettingsSheet(this.#parts);
    this.#sheet?.open();
  }
}
