/**
 * Changes the size of images by pinching, on a touchscreen or a trackpad, and by the wheel with Ctrl: step by step,
 * with the image between the fingers, or under the pointer, staying in place.
 * @param {import('./grid.js').Grid} grid
 * @param {HTMLElement} element  The grid's. Its style leaves gestures of two fingers to the page.
 */
export function attachPinch(grid, element) {
  const pinch = new Pinch((steps, point) => {
    const { arrangement } = grid;
    grid.arrange(arrangement.with({ density: arrangement.density + steps }), point);
  });
  let gesture = new AbortController();
  const move = (/** @type {Event} */ event) => {
    const { touches } = /** @type {TouchEvent} */ (event);
    if (touches.length !== 2) return;
    // The browser would take two fingers that move up or down for a scroll.
    if (event.cancelable) event.preventDefault();
    pinch.move(touches);
  };
  element.addEventListener('touchstart', ({ touches }) => {
    pinch.begin(touches);
    gesture.abort();
    gesture = new AbortController();
    if (touches.length !== 2) return;
    // A step may remove the touched element, and only that element receives the finger's further events.
    const options = { passive: false, signal: gesture.signal };
    for (const { target } of touches) target.addEventListener('touchmove', move, options);
  }, { passive: true });
  element.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    pinch.turn(event);
  }, { passive: false });
}

/** The change of the fingers' distance that makes a step, as a factor. */
const step = 1.3;
/** A mouse wheel scrolls at least so many pixels at a time, a trackpad fewer. A notch is a step. */
const notch = 50;
/** After this pause the wheel starts a new gesture. Milliseconds. */
const gestureGap = 300;

/** Accumulates a pinch, and takes a step whenever it has gone far enough. */
class Pinch {
  #onStep;
  #apart = 0;
  #scale = 1;
  #turnedAt = -Infinity;

  /** @param {(steps: number, point: {x: number, y: number}) => void} onStep  Positive for larger images. */
  constructor(onStep) {
    this.#onStep = onStep;
  }

  /** @param {TouchList} touches */
  begin(touches) {
    this.#apart = touches.length === 2 ? distance(touches) : 0;
  }

  /** @param {TouchList} touches */
  move(touches) {
    if (this.#apart === 0) return;
    const apart = distance(touches);
    const [one, other] = touches;
    const point = { x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 };
    this.#apart *= this.#take(apart / this.#apart, point);
  }

  /** @param {WheelEvent} event */
  turn({ deltaY, deltaMode, clientX, clientY, timeStamp }) {
    if (timeStamp - this.#turnedAt > gestureGap) this.#scale = 1;
    this.#turnedAt = timeStamp;
    const isNotch = deltaMode !== WheelEvent.DOM_DELTA_PIXEL || Math.abs(deltaY) >= notch;
    // Browsers report a trackpad's pinch in hundredths of the logarithm of its scale.
    this.#scale *= isNotch ? (step * 1.01) ** -Math.sign(deltaY) : Math.exp(-deltaY / 100);
    this.#scale /= this.#take(this.#scale, { x: clientX, y: clientY });
  }

  /**
   * Fingers may be faster than frames: then several steps are taken at once.
   * @param {number} scale
   * @param {{x: number, y: number}} point
   * @returns {number}  How much of the scale was used up.
   */
  #take(scale, point) {
    const steps = Math.trunc(Math.log(scale) / Math.log(step));
    if (steps !== 0) this.#onStep(steps, point);
    return step ** steps;
  }
}

/** @param {TouchList} touches  Two of them. */
function distance([one, other]) {
  return Math.max(1, Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY));
}
