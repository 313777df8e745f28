import { readPreference, savePreference } from './memory.js';

const preferenceName = 'keys';

/**
 * Shortcuts that are a single letter, digit or sign. They can be switched off, because speech input and unsteady hands
 * type such characters without meaning them (WCAG 2.1, success criterion 2.1.4).
 */
export class SingleKeys {
  static get areOn() {
    return readPreference(preferenceName) !== 'off';
  }

  static set areOn(areOn) {
    savePreference(preferenceName, areOn ? 'on' : 'off');
  }

  /**
   * Whether the key is such a shortcut and they are switched off.
   * @param {string} key  As in `KeyboardEvent.key`.
   */
  static isOff(key) {
    return [...key].length === 1 && key !== ' ' && !SingleKeys.areOn;
  }
}
