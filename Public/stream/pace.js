/** Screens a second. */
const fast = 3;

/**
 * Whether the slots go by so fast that a tile would be gone before anybody saw it.
 * @param {{velocity: number, count: number}} report  Slots a second, and slots on a screen.
 */
export function isTooFastForTiles({ velocity, count }) {
  return velocity > fast * count;
}
