/**
 * The grid by mouse and finger: who clicks on a picture sees it large, without the page being left. All else that can be
 * done with a link and a picture is left to the browser: a tab or a window of its own, its menus, dragging.
 * @param {import('./grid.js').Grid} grid
 * @param {HTMLElement} element  The grid's.
 */
export function attachPointer(grid, element) {
  element.addEventListener('click', (event) => {
    const target = /** @type {Element} */ (event.target);
    const cell = grid.cellAt(Number(slotOf(target)?.dataset.index ?? -1));
    if (!cell) return;
    if (target.closest('.slot-problem button')) cell.retry();
    else if (!isForBrowser(event)) {
      event.preventDefault();
      grid.activate(cell);
    }
  });
  // A pointer that is pressed puts the focus into the link, which is nothing to keys and to those who listen. Handed on
  // at once, it would end the dragging that may begin there.
  element.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLAnchorElement)) return;
    setTimeout(() => document.activeElement === target && slotOf(target)?.focus({ preventScroll: true }));
  });
}

/**
 * Whether the link is to be opened elsewhere, or saved.
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
