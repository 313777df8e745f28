import { announce } from '../page/announcer.js';
import { clamp } from './geometry.js';

/**
 * The grid by keyboard: arrows go from slot to slot and pass over headings, Page Up and Page Down go by screens, Home and
 * End to the ends of the gallery, Enter and Space open. Home, End, and + and - for larger and smaller pictures work from
 * anywhere on the page where nothing is typed.
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
    if (isHandled(event) || !isElsewhere(event.target, element)) return;
    const way = sizes.get(event.key);
    if (way !== undefined && !event.ctrlKey) {
      grid.arrange(grid.arrangement.with({ density: grid.arrangement.density + way }));
    } else if (event.target !== document.body) return;
    else if (event.key === 'Home') grid.goToStart();
    else if (event.key === 'End') grid.scroller.scrollToEnd();
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') grid.focus(grid.active);
    else return;
    event.preventDefault();
  });
}

/** Larger and smaller; = is + without Shift on many keyboards. */
const sizes = new Map([['+', 1], ['=', 1], ['-', -1], ['_', -1]]);

/**
 * Whether the key was meant for the page as a whole or for the grid.
 * @param {EventTarget | null} target
 * @param {HTMLElement} element
 */
function isElsewhere(target, element) {
  return target === document.body || (target instanceof Node && element.contains(target));
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
  const { active, geometry } = grid;
  const above = geometry.slotBeside(active, -1);
  switch (key) {
    case 'ArrowLeft':
      return go(grid, active - 1);
    case 'ArrowRight':
      return go(grid, active + 1);
    case 'ArrowUp':
      return above !== active && go(grid, above);
    case 'ArrowDown':
      return go(grid, geometry.slotBeside(active, 1));
    case 'PageUp':
      return go(grid, geometry.slotBeyond(active, -1));
    case 'PageDown':
      return go(grid, geometry.slotBeyond(active, 1));
    case 'Home':
      return go(grid, 0);
    case 'End':
      return go(grid, grid.total - 1);
    default:
      return false;
  }
}

/**
 * @param {import('./grid.js').Grid} grid
 * @param {number} index
 */
function go(grid, index) {
  const { geometry } = grid;
  const before = geometry.titleAt(grid.active);
  const next = clamp(index, 0, grid.total - 1);
  grid.focus(next);
  // Headings have no focus: who comes under another one hears it.
  const title = geometry.titleAt(next);
  if (title !== before) announce(title);
  return true;
}
