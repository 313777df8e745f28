import { announce } from './announcer.js';
import { find } from './template.js';

/** A sentence at the bottom of the page, for a while: about something that needs no decision. */
export class Message {
  /** Milliseconds. */
  static #time = 8_000;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  static #timer;

  /** @param {string} text */
  static show(text) {
    const element = find('#message');
    element.textContent = text;
    // A popover that is opened anew lies over an open dialog.
    element.hidePopover();
    element.showPopover();
    announce(text);
    clearTimeout(Message.#timer);
    Message.#timer = setTimeout(() => element.hidePopover(), Message.#time);
  }
}
