/**
 * Pointer and keyboard of a selection. `x` toggles the focused picture. While a selection is active, a click, Enter, and
 * Space do the same instead of opening the picture. With Shift, they select a range.
 */
export class SelectionInput {
  #selection;
  #grid;
  #isMeantElsewhere;

  /**
   * @param {import('./selection.js').Selection} selection
   * @param {import('../page/account-action.js').SharingDependencies} dependencies
   */
  constructor(selection, { grid, isMeantElsewhere }) {
    this.#selection = selection;
    this.#grid = grid;
    this.#isMeantElsewhere = isMeantElsewhere;
    const element = /** @type {HTMLElement} */ (document.querySelector('#grid'));
    // Before the grid itself hears of them.
    element.addEventListener('click', (event) => this.#clicked(event), { capture: true });
    addEventListener('keydown', (event) => this.#pressed(event, element), { capture: true });
    // Fields and panels that Escape closes come first.
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isCovered() || isMeantElsewhere(event)) return;
      if (!selection.isActive) return;
      event.preventDefault();
      selection.end();
    });
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    if (!this.#selection.isActive) return;
    const target = /** @type {Element} */ (event.target);
    const slot = /** @type {HTMLElement | null} */ (target.closest('.slot[data-index]'));
    if (!slot || target.closest('button')) return;
    event.preventDefault();
    event.stopPropagation();
    this.#select(Number(slot.dataset.index), event.shiftKey);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} element  The grid's.
   */
  #pressed(event, element) {
    if (isCovered() || !this.#handle(event, element)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} element
   * @returns {boolean}  Whether the key was handled.
   */
  #handle(event, element) {
    const selection = this.#selection;
    const key = event.key.toLowerCase();
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const isInField = /** @type {Element} */ (event.target).closest?.('input, textarea, select') !== null;
    if (selection.isActive && isCommand && key === 'a' && !isInField) {
      selection.addAll();
      return true;
    }
    if (this.#isMeantElsewhere(event)) return false;
    const isInGrid = element.contains(document.activeElement);
    if (key === 'x' && !isInGrid) selection.begin();
    else if (isInGrid && (key === 'x' || (selection.isActive && (key === 'enter' || key === ' ')))) {
      if (!event.repeat) this.#select(this.#grid.active, event.shiftKey);
    } else return false;
    return true;
  }

  /**
   * @param {number} index
   * @param {boolean} isRange
   */
  #select(index, isRange) {
    if (isRange && this.#selection.isActive) this.#selection.extendTo(index);
    else this.#selection.toggle(index);
  }
}

/** Whether a dialog makes the grid inert. */
function isCovered() {
  return document.querySelector('dialog[open]') !== null;
}
