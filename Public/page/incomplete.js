import { cloneTemplate } from './template.js';

/** A picture whose file ends before the picture does is shown as far as it goes; here is how the page says so. */

/**
 * What the picture is called, for those who listen.
 * @param {string} name
 * @param {boolean} isIncomplete
 */
export function withIncompleteness(name, isIncomplete) {
  return isIncomplete ? `${name}, incomplete` : name;
}

/** A small mark for those who look. */
export function makeIncompleteMark() {
  return cloneTemplate('incomplete-template');
}
