/** How far a finger must move down, and how much further than sideways. Pixels. */
const reach = 60;

/**
 * Calls `act` when a finger pulls down a panel that is scrolled to its top.
 * @param {HTMLElement} panel
 * @param {() => void} act
 */
export function attachPullDown(panel, act) {
  /** @type {{x: number, y: number} | null} */
  let start = null;
  panel.addEventListener('touchstart', ({ touches }) => {
    start = touches.length === 1 && panel.scrollTop <= 0 ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  }, { passive: true });
  panel.addEventListener('touchend', ({ changedTouches: [{ clientX, clientY }] }) => {
    const down = start && panel.scrollTop <= 0 ? clientY - start.y : 0;
    const across = start ? Math.abs(clientX - start.x) : 0;
    start = null;
    if (down > reach && down > across) act();
  });
}
