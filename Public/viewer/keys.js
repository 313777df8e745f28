import { isMeantElsewhere } from '../page/key-bindings.js';
import { presentScope } from '../page/scope.js';
import { isMenuOpen } from './menu.js';

/**
 * Keyboard shortcuts of the viewer. `leave` ends what the viewer is doing, or closes it.
 * @typedef {{turn: (by: number) => void, turnTo: (end: 'first' | 'last') => void, zoom:
 *   import('./zoom-control.js').ZoomControl, toggleDetails: () => void, toggleFilmstrip: () => void, toggleSlideshow: ()
 *   => void, toggleComparison: () => void, rotate: (by: 1 | -1) => void, copyPicture: () => void, leave: () => void}}
 *   ViewerActions
 */

const zoomStep = 1.5;
/** How far an arrow key pans an enlarged picture. CSS pixels. */
const panStep = 96;
/** The direction in which each arrow key looks. */
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {HTMLDialogElement} dialog
 * @param {ViewerActions} actions
 */
export function attachKeys(dialog, actions) {
  // On the document: when the focused element is hidden, the focus leaves the dialog.
  document.addEventListener('keydown', (event) => {
    if (presentScope() !== dialog || event.defaultPrevented || isMeantElsewhere(event)) return;
    // The space bar presses a focused button.
    if (event.key === ' ' && /** @type {HTMLElement} */ (event.target).closest('button, a')) return;
    // The browser closes the menu.
    if (event.key === 'Escape' && isMenuOpen()) return;
    // The details scroll.
    if (event.key in arrows && /** @type {HTMLElement} */ (event.target).closest('#details')) return;
    const act = event.key in arrows ? arrowAction(event, actions) : actionOf(event, actions);
    if (!act) return;
    event.preventDefault();
    act();
  });
  const copiesPicture = () => presentScope() === dialog && getSelection()?.isCollapsed !== false;
  // Without a selection, WebKit has nothing to copy unless this says so.
  document.addEventListener('beforecopy', (event) => copiesPicture() && event.preventDefault());
  document.addEventListener('copy', (event) => {
    if (!copiesPicture()) return;
    event.preventDefault();
    actions.copyPicture();
  });
}

/**
 * Arrow keys pan an enlarged picture. Left and right turn to another picture at its edge, or if it is not enlarged; a
 * key that is held down stops at the edge.
 * @param {KeyboardEvent} event
 * @param {ViewerActions} actions
 * @returns {(() => void) | undefined}
 */
function arrowAction({ key, repeat }, { zoom, turn }) {
  const [across, down] = arrows[/** @type {keyof typeof arrows} */ (key)];
  if (zoom.pans(-across, -down)) return () => zoom.pan(-across * panStep, -down * panStep);
  if (across === 0) return undefined;
  return () => !(repeat && zoom.isIn) && turn(across);
}

/**
 * @param {KeyboardEvent} event
 * @param {ViewerActions} actions
 * @returns {(() => void) | undefined}
 */
function actionOf({ key, repeat }, actions) {
  switch (key) {
    case 'Escape':
      return () => repeat || actions.leave();
    case 'PageUp':
      return () => actions.turn(-1);
    case 'PageDown':
      return () => actions.turn(1);
    case 'Home':
      return () => actions.turnTo('first');
    case 'End':
      return () => actions.turnTo('last');
    case '+':
    case '=':
      return () => actions.zoom.multiply(zoomStep);
    case '-':
      return () => actions.zoom.multiply(1 / zoomStep);
    case '0':
      return () => actions.zoom.fit();
    case '1':
      return () => actions.zoom.showActualSize();
    case ' ':
      return () => actions.toggleSlideshow();
    case 'i':
    case 'I':
      return () => actions.toggleDetails();
    case 'c':
    case 'C':
      return () => actions.toggleComparison();
    case 'r':
      return () => actions.rotate(1);
    case 'R':
      return () => actions.rotate(-1);
    case 't':
    case 'T':
      return () => actions.toggleFilmstrip();
    default:
      return undefined;
  }
}
