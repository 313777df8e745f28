import { attachKey } from './key-bindings.js';
import { find } from './template.js';

/** Toggles full-screen mode (`f`), if the browser supports it. */
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
    // If the browser refuses, the page stays as it is.
    change?.catch(() => {});
  }
}
