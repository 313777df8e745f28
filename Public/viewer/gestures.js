/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{
 *   pans: (dx: number, dy: number) => boolean,
 *   press: () => void,
 *   release: () => void,
 *   tap: (at: Point, isTouch: boolean) => void,
 *   doubleTap: (at: Point) => void,
 *   pan: (dx: number, dy: number) => void,
 *   swipe: (way: number) => void,
 *   swipeEnd: (way: number, speed: number) => void,
 *   pull: (way: number) => void,
 *   pullEnd: (way: number, speed: number) => void,
 *   pinch: (factor: number, at: Point, dx: number, dy: number) => void,
 *   turn: (step: number) => void,
 * }} GestureHandler  `pans`: whether a movement that begins this way moves an enlarged image; past its edge it turns. `press`: a first finger is put down; `release`: it ends without having moved anything. Points are from the middle of the stage, ways in pixels, speeds in pixels a millisecond.
 */

const dragThreshold = 8;
const doubleTapTime = 280;
/** The longest interval that systems accept for a double click. Milliseconds. */
const doubleClickTime = 500;
const doubleTapReach = 32;
/** A sideways wheel turns the page after this distance, and only once until it has rested. Pixels, milliseconds. */
const wayToTurn = 60;
const wheelRest = 180;

/** Translates the input of fingers, mouse and wheel on the stage into actions. */
export class Gestures {
  #stage;
  #handler;
  /** @type {Map<number, Point>} */
  #pointers = new Map();
  /** @type {'none' | 'undecided' | 'pan' | 'swipe' | 'pull' | 'pinch'} */
  #kind = 'none';
  /** @type {Point} */
  #start = { x: 0, y: 0 };
  #speed = { x: 0, y: 0, at: 0 };
  /** @type {{at: number, point: Point, timer: ReturnType<typeof setTimeout>} | null} */
  #lastTap = null;
  /** The movement of a sideways wheel since it last rested. */
  #sideways = { way: 0, at: -Infinity, hasTurned: false, isPan: false };
  /**
   * The position and time of the last press, on the stage or anywhere else. Until there is one: just now, somewhere, for
   * the viewer may have been loaded because of a press.
   */
  #pressed = { x: NaN, y: NaN, at: performance.now() };
  /** The press that opened the stage: another one, soon and at the same place, belongs to it. */
  #opening = { x: 0, y: 0, at: -Infinity };

  /**
   * @param {HTMLElement} stage
   * @param {GestureHandler} handler
   */
  constructor(stage, handler) {
    this.#stage = stage;
    this.#handler = handler;
    addEventListener('pointerdown', ({ clientX: x, clientY: y, timeStamp: at }) => (this.#pressed = { x, y, at }), true);
    stage.addEventListener('pointerdown', (event) => this.#down(event));
    stage.addEventListener('pointermove', (event) => this.#move(event));
    stage.addEventListener('pointerup', (event) => this.#up(event));
    stage.addEventListener('pointercancel', (event) => this.#up(event));
    stage.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    // The browser's drag and drop of images would get in the way.
    stage.addEventListener('dragstart', (event) => event.preventDefault());
  }

  /** If a double click opens the stage, its second half means nothing. */
  ignoreDoubleClick() {
    this.#opening = this.#pressed;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const isOnControl = /** @type {Element} */ (event.target).closest('button, a') !== null;
    if (event.button !== 0 || isOnControl) return;
    this.#stage.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#point(event));
    if (this.#pointers.size === 1) {
      this.#start = this.#point(event);
      this.#speed = { x: 0, y: 0, at: event.timeStamp };
      this.#kind = 'undecided';
      this.#handler.press();
    } else {
      this.#settle();
      this.#kind = 'pinch';
    }
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const now = this.#point(event);
    if (this.#kind === 'pinch') this.#pinch(event.pointerId, before, now);
    this.#pointers.set(event.pointerId, now);
    if (this.#kind === 'undecided') this.#decide(now);
    this.#measure(now.x - before.x, now.y - before.y, event.timeStamp);
    if (this.#kind === 'pan') this.#handler.pan(now.x - before.x, now.y - before.y);
    if (this.#kind === 'swipe') this.#handler.swipe(now.x - this.#start.x);
    if (this.#kind === 'pull') this.#handler.pull(now.y - this.#start.y);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const last = this.#pointers.get(event.pointerId);
    if (!last) return;
    if (this.#kind === 'undecided' && event.type === 'pointerup') this.#tap(last, event);
    if (this.#kind !== 'pinch') this.#settle(last);
    if (this.#kind === 'undecided') this.#handler.release();
    this.#pointers.delete(event.pointerId);
    // A finger that stays after a pinch pans the image.
    this.#kind = this.#pointers.size === 1 ? 'pan' : 'none';
  }

  /**
   * Ends a gesture of one finger.
   * @param {Point} [last]
   */
  #settle(last = this.#start) {
    if (this.#kind === 'swipe') this.#handler.swipeEnd(last.x - this.#start.x, this.#speed.x);
    if (this.#kind === 'pull') this.#handler.pullEnd(last.y - this.#start.y, this.#speed.y);
  }

  /** @param {Point} now */
  #decide(now) {
    const across = Math.abs(now.x - this.#start.x);
    const down = Math.abs(now.y - this.#start.y);
    if (Math.max(across, down) < dragThreshold) return;
    if (this.#handler.pans(now.x - this.#start.x, now.y - this.#start.y)) this.#kind = 'pan';
    else this.#kind = across > down ? 'swipe' : 'pull';
  }

  /**
   * @param {number} moved  The pointer's id.
   * @param {Point} before
   * @param {Point} now
   */
  #pinch(moved, before, now) {
    const other = [...this.#pointers].find(([id]) => id !== moved)?.[1];
    if (!other) return;
    const factor = distance(now, other) / Math.max(1, distance(before, other));
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    this.#handler.pinch(factor, middle, (now.x - before.x) / 2, (now.y - before.y) / 2);
  }

  /**
   * @param {Point} point
   * @param {PointerEvent} event
   */
  #tap(point, event) {
    // Not comparable with an unknown position, which may be the same.
    const isElsewhere = distance(this.#pressed, this.#opening) >= doubleTapReach;
    if (this.#pressed.at - this.#opening.at < doubleClickTime && !isElsewhere) return;
    const last = this.#lastTap;
    this.#lastTap = null;
    const isSecond = last && event.timeStamp - last.at < doubleTapTime;
    if (isSecond && distance(point, last.point) < doubleTapReach) {
      clearTimeout(last.timer);
      this.#handler.doubleTap(point);
      return;
    }
    const isTouch = event.pointerType !== 'mouse';
    const timer = setTimeout(() => this.#handler.tap(point, isTouch), doubleTapTime);
    this.#lastTap = { at: event.timeStamp, point, timer };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    if (!event.ctrlKey && Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.#wheelSideways(event);
      return;
    }
    // A pinch on a touchpad arrives as a wheel event with Ctrl and small steps.
    const step = event.ctrlKey ? 0.012 : 0.0022;
    this.#handler.pinch(Math.exp(-event.deltaY * step), this.#point(event), 0, 0);
  }

  /**
   * Two fingers sideways on a touchpad: pan an enlarged image, or turn to the next one. A movement that pans to the edge
   * ends there.
   * @param {WheelEvent} event
   */
  #wheelSideways({ deltaX, deltaY, timeStamp }) {
    const isNew = timeStamp - this.#sideways.at > wheelRest;
    if (isNew) this.#sideways = { way: 0, at: timeStamp, hasTurned: false, isPan: false };
    this.#sideways.at = timeStamp;
    if (!this.#sideways.hasTurned && this.#handler.pans(-deltaX, -deltaY)) this.#sideways.isPan = true;
    if (this.#sideways.isPan) {
      this.#handler.pan(-deltaX, -deltaY);
      return;
    }
    this.#sideways.way += deltaX;
    if (this.#sideways.hasTurned || Math.abs(this.#sideways.way) < wayToTurn) return;
    this.#sideways.hasTurned = true;
    this.#handler.turn(Math.sign(this.#sideways.way));
  }

  /**
   * @param {number} dx
   * @param {number} dy
   * @param {number} at
   */
  #measure(dx, dy, at) {
    const passed = Math.max(1, at - this.#speed.at);
    this.#speed = { x: (this.#speed.x + dx / passed) / 2, y: (this.#speed.y + dy / passed) / 2, at };
  }

  /**
   * @param {MouseEvent} event
   * @returns {Point}
   */
  #point({ clientX, clientY }) {
    const { left, top, width, height } = this.#stage.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  }
}

/**
 * @param {Point} one
 * @param {Point} other
 */
function distance(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
