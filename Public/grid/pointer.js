/**
 * Pointer control of the grid: a click opens an image in the viewer, without leaving the page. The browser keeps
 * everything else that one can do with a link and an image: opening a tab or window, menus, dragging.
 * @param {import('./grid.js').Grid} grid
 * @param {HTMLElement} element  The grid's.
 */
export function attachPointer(grid, element) {
  const cellOf = (/** @type {Element} */ target) => grid.cellAt(Number(slotOf(target)?.dataset.index ?? -1));
  element.addEventListener('pointerover', ({ target }) => cellOf(/** @type {Element} */ (target))?.link());
  element.addEventListener('click', (event) => {
    const target = /** @type {Element} */ (event.target);
    const cell = cellOf(target);
    if (!cell) return;
    if (target.closest('.slot-problem button')) cell.retry();
    else if (!isForBrowser(event)) {
      event.preventDefault();
      grid.activate(cell);
    }
  });
  // Pressing the pointer focuses the link, which the keyboard and assistive technology ignore. Moving the focus at once
  // would cancel a drag that may begin there.
  element.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLAnchorElement)) return;
    setTimeout(() => document.activeElement === target && slotOf(target)?.focus({ preventScroll: true }));
  });
}

/**
 * Whether the click means to open the link elsewhere, or to save it.
 * @param {MouseEvent} event
 */
function isForBrowser({ ctrlKey, metaKey, shiftKey, altKey }) {
  return ctrlKey || metaKey || shiftKey || altKey;
}

/**
 * @param {Element} element
 * @returns {HTMLElement | null}
 */
function slotOf(element) {
  return element.closest('.slot[data-index]');
}
