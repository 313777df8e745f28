/**
 * Moves the focus to the first picture on screen, without scrolling if its row is cut off at the top.
 * @param {import('./grid.js').Grid} grid
 */
export function enterGrid(grid) {
  if (grid.total === 0) return;
  const { index, within } = grid.place;
  grid.focus(within > 0 ? grid.geometry.slotBeside(index, 1) : index);
}
