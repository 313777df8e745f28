import { announce } from '../page/announcer.js';
import { SingleKeys } from '../page/single-keys.js';
import { clamp } from './geometry.js';

/**
 * Keyboard control of the grid: arrows move from slot to slot and skip headings, Page Up and Page Down move by screens,
 * Home and End to the ends of the gallery, Enter and Space open. Home, End, and + and - for larger and smaller images
 * work anywhere on the page except in text fields.
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
 * Whether the key was meant for something other than the grid or the page as a whole.
 * @param {EventTarget | null} target
 * @param {HTMLElement} element
 */
function isElsewhere(target, element) {
  return target === document.body || (target instanceof Node && element.contains(target));
}

/** @param {KeyboardEvent} event */
function isHandled(event) {
  return event.defaultPrevented || event.altKey || event.metaKey || SingleKeys.isOff(event.key);
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
  // Headings cannot be focused: announce a change of section.
  const title = geometry.titleAt(next);
  if (title !== before) announce(title);
  return true;
}
