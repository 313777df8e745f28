import { selectionStyle } from './selection-style.js';

/** The bar at the bottom while a selection is active: how many pictures it has, and what can be done with them. */
export class SelectionBar {
  #selection;
  #element = document.createElement('div');
  #count = document.createElement('span');
  #share;

  /**
   * @param {import('./selection.js').Selection} selection
   * @param {() => void} onShare
   */
  constructor(selection, onShare) {
    this.#selection = selection;
    this.#element.id = 'selection';
    this.#element.setAttribute('role', 'group');
    this.#element.setAttribute('aria-label', 'Selected pictures');
    this.#element.hidden = true;
    this.#share = button('Share', onShare);
    this.#share.setAttribute('aria-label', 'Share selected pictures');
    this.#element.append(this.#count, this.#share, button('Cancel', () => selection.end()));
    document.adoptedStyleSheets.push(selectionStyle());
    document.querySelector('main')?.append(this.#element);
    selection.addEventListener('change', () => this.#show());
  }

  #show() {
    const hadFocus = this.#element.contains(document.activeElement);
    this.#element.hidden = !this.#selection.isActive;
    this.#count.textContent = this.#selection.text;
    this.#share.disabled = !this.#selection.isComplete;
    // The focused button is hidden now.
    const select = /** @type {HTMLElement | null} */ (document.querySelector('#select-button'));
    if (hadFocus && this.#element.hidden) select?.focus();
  }
}

/**
 * @param {string} label
 * @param {() => void} act
 */
function button(label, act) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = label;
  made.addEventListener('click', act);
  return made;
}
