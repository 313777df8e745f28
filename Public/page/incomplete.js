import { cloneTemplate } from './template.js';

/** A truncated image is displayed as far as it goes; these functions mark it as incomplete. */

/**
 * The name of an image for assistive technology.
 * @param {string} name
 * @param {boolean} isIncomplete
 */
export function withIncompleteness(name, isIncomplete) {
  return isIncomplete ? `${name}, incomplete` : name;
}

/** A small visible mark. */
export function makeIncompleteMark() {
  return cloneTemplate('incomplete-template');
}
