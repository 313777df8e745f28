import { attachKey } from './pressed.js';
import { find } from './template.js';

/** The whole screen for the page (`f`), where the browser gives it. */
export class FullScreen {
  #button = find('#viewer-full-screen');

  constructor() {
    this.#button.hidden = !document.fullscreenEnabled;
    this.#button.addEventListener('click', () => this.#toggle());
    document.addEventListener('fullscreenchange', () => {
      this.#button.setAttribute('aria-pressed', String(document.fullscreenElement !== null));
    });
    attachKey('f', () => this.#toggle(), { isOfDialogs: true });
  }

  #toggle() {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen?.({ navigationUI: 'hide' });
    // Who may not have the whole screen goes on with a part of it.
    change?.catch(() => {});
  }
}
