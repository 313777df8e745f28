import { isMeantElsewhere } from '../page/key-bindings.js';
import { presentScope } from '../page/scope.js';

/**
 * Keyboard shortcuts of the viewer. Escape is the dialog's own.
 * @typedef {{turn: (by: number) => void, turnTo: (end: 'first' | 'last') => void, zoom:
 *   import('./zoom-control.js').ZoomControl, toggleDetails: () => void, toggleFilmstrip: () => void, toggleSlideshow: ()
 *   => void, toggleComparison: () => void, rotate: (by: 1 | -1) => void, copyPicture: () => void}} ViewerActions
 */

const zoomStep = 1.5;

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
    const act = actionOf(event.key, actions);
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
 * @param {string} key
 * @param {ViewerActions} actions
 * @returns {(() => void) | undefined}
 */
function actionOf(key, actions) {
  switch (key) {
    case 'ArrowLeft':
    case 'PageUp':
      return () => actions.turn(-1);
    case 'ArrowRight':
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
