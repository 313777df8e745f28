import { announce } from './announcer.js';
import { find } from './template.js';

/** Milliseconds. */
const displayTime = 8_000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** A sentence at the bottom of the page, for a while: about something that needs no decision. */
export class Message {
  /** @param {string} text */
  static show(text) {
    const element = find('#message');
    element.textContent = text;
    // A popover that is opened anew lies over an open dialog.
    element.hidePopover();
    element.showPopover();
    announce(text);
    clearTimeout(timer);
    timer = setTimeout(() => element.hidePopover(), displayTime);
  }
}
