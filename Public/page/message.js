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
    element.hidden = false;
    announce(text);
    clearTimeout(Message.#timer);
    Message.#timer = setTimeout(() => (element.hidden = true), Message.#time);
  }
}
