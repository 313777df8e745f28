import { find } from '../page/template.js';

/** What fingers do, in the grid and in the viewer. */
const gestures = [
  ['Tap', 'Open a picture'],
  ['Pinch', 'Larger and smaller pictures'],
  ['Drag the handle at the edge', 'Scroll fast'],
  ['Swipe left or right', 'Next and previous picture'],
  ['Swipe up', 'Details'],
  ['Swipe down', 'Close the details, or the viewer'],
  ['Double tap or pinch', 'Zoom in and out'],
  ['Tap in the viewer', 'Show or hide controls'],
];

/** Fills the list of gestures, which touch-only screens show instead of the one of keys. */
export function listGestures() {
  find('#gestures').replaceChildren(...gestures.map(([gesture, effect]) => {
    const row = document.createElement('div');
    for (const [name, text] of [['dt', gesture], ['dd', effect]]) {
      row.append(Object.assign(document.createElement(name), { textContent: text }));
    }
    return row;
  }));
}
