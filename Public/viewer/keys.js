/**
 * What can be done by key in the viewer. Escape closes it, as it closes any dialog.
 * @typedef {{turn: (by: number) => void, turnTo: (end: 'first' | 'last') => void, zoom: (by: number) => void,
 *   fit: () => void, toggleDetails: () => void}} ViewerActions  `zoom` multiplies.
 */

const zoomStep = 1.5;

/**
 * @param {HTMLElement} element
 * @param {ViewerActions} actions
 */
export function attachKeys(element, actions) {
  element.addEventListener('keydown', (event) => {
    const act = event.altKey || event.metaKey || event.ctrlKey ? undefined : actionOf(event.key, actions);
    if (!act) return;
    event.preventDefault();
    act();
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
      return () => actions.zoom(zoomStep);
    case '-':
      return () => actions.zoom(1 / zoomStep);
    case '0':
      return () => actions.fit();
    case 'i':
    case 'I':
      return () => actions.toggleDetails();
    default:
      return undefined;
  }
}
