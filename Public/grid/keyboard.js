import { clamp } from './geometry.js';

/**
 * The grid by keyboard: arrows go from slot to slot, Page Up and Page Down by screens, Home and End to the ends of the
 * gallery, Enter and Space open. Home and End work from anywhere on the page.
 * @param {import('./grid.js').Grid} grid
 * @param {HTMLElement} element  The grid's.
 */
export function attachKeyboard(grid, element) {
  element.addEventListener('keydown', (event) => {
    if (isHandled(event)) return;
    const cell = grid.cellAt(grid.active);
    if ((event.key === 'Enter' || event.key === ' ') && cell) grid.activate(cell);
    else if (!move(grid, event.key)) return;
    event.preventDefault();
  });
  addEventListener('keydown', (event) => {
    if (isHandled(event) || event.target !== document.body) return;
    if (event.key === 'Home') grid.goToStart();
    else if (event.key === 'End') grid.scroller.scrollToEnd();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') grid.focus(grid.active);
    else return;
    event.preventDefault();
  });
}

/** @param {KeyboardEvent} event */
function isHandled(event) {
  return event.defaultPrevented || event.altKey || event.metaKey;
}

/**
 * @param {import('./grid.js').Grid} grid
 * @param {string} key
 */
function move(grid, key) {
  const { columns, rowHeight, viewHeight } = grid.geometry;
  const screen = Math.max(1, Math.floor(viewHeight / rowHeight)) * columns;
  const last = grid.total - 1;
  const { active, geometry } = grid;
  switch (key) {
    case 'ArrowLeft':
      return go(grid, active - 1);
    case 'ArrowRight':
      return go(grid, active + 1);
    case 'ArrowUp':
      return active >= columns && go(grid, active - columns);
    case 'ArrowDown':
      return go(grid, geometry.firstOf(geometry.rows - 1) <= active ? active : Math.min(last, active + columns));
    case 'PageUp':
      return go(grid, active - screen < 0 ? topOfColumn(geometry.columnOf(active), geometry) : active - screen);
    case 'PageDown':
      return go(grid, Math.min(last, active + screen));
    case 'Home':
      return go(grid, 0);
    case 'End':
      return go(grid, last);
    default:
      return false;
  }
}

/**
 * @param {number} column
 * @param {import('./geometry.js').Geometry} geometry
 */
function topOfColumn(column, { lead, columns }) {
  return column < lead ? column - lead + columns : column - lead;
}

/**
 * @param {import('./grid.js').Grid} grid
 * @param {number} index
 */
function go(grid, index) {
  grid.focus(clamp(index, 0, grid.total - 1));
  return true;
}
