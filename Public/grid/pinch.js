/**
 * Larger and smaller pictures by two fingers, on the glass or on a trackpad, and by the wheel with Ctrl: step by step, and
 * what is between the fingers, or under the pointer, stays there.
 * @param {import('./grid.js').Grid} grid
 * @param {HTMLElement} element  The grid's. Its style leaves gestures of two fingers to the page.
 */
export function attachPinch(grid, element) {
  const pinch = new Pinch((way, point) => {
    const { arrangement } = grid;
    grid.arrange(arrangement.with({ density: arrangement.density + way }), point);
  });
  element.addEventListener('touchstart', ({ touches }) => pinch.begin(touches), { passive: true });
  element.addEventListener('touchmove', ({ touches }) => pinch.move(touches), { passive: true });
  element.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    pinch.turn(event);
  }, { passive: false });
}

/** What fingers have done so far, and where they are: after so much of it the next step is taken. */
class Pinch {
  /** Of one step, by what the fingers must be further apart. */
  static #step = 1.3;
  /** By a pixel of the wheel: one notch of a mouse's is a step, and so is a third of a trackpad. */
  static #perPixel = 0.006;
  /** Milliseconds after which the wheel begins anew. */
  static #pause = 300;

  #onStep;
  #apart = 0;
  #scale = 1;
  #turnedAt = -Infinity;

  /** @param {(way: 1 | -1, point: {x: number, y: number}) => void} onStep */
  constructor(onStep) {
    this.#onStep = onStep;
  }

  /** @param {TouchList} touches */
  begin(touches) {
    this.#apart = touches.length === 2 ? distance(touches) : 0;
  }

  /** @param {TouchList} touches */
  move(touches) {
    if (touches.length !== 2 || this.#apart === 0) return;
    const apart = distance(touches);
    const [one, other] = touches;
    const point = { x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 };
    if (this.#take(apart / this.#apart, point)) this.#apart = apart;
  }

  /** @param {WheelEvent} event */
  turn({ deltaY, deltaMode, clientX, clientY, timeStamp }) {
    if (timeStamp - this.#turnedAt > Pinch.#pause) this.#scale = 1;
    this.#turnedAt = timeStamp;
    this.#scale *= Math.exp(-deltaY * (deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1) * Pinch.#perPixel);
    if (this.#take(this.#scale, { x: clientX, y: clientY })) this.#scale = 1;
  }

  /**
   * @param {number} scale
   * @param {{x: number, y: number}} point
   */
  #take(scale, point) {
    if (scale < Pinch.#step && scale > 1 / Pinch.#step) return false;
    this.#onStep(scale > 1 ? 1 : -1, point);
    return true;
  }
}

/** @param {TouchList} touches  Two. */
function distance([one, other]) {
  return Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
}
