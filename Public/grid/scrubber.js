import { formatNumber } from '../page/numbers.js';
import { find } from '../page/template.js';
import { isFastByPixels } from '../stream/pace.js';

/** Shorter galleries need no scrubber. Screens. */
const fewScreens = 8;
/** How long the handle stays after a scroll. Milliseconds. */
const linger = 1_500;

/**
 * Displays a number or a month beside the scrollbar during a fast scroll and, on touchscreens, a handle to drag,
 * because a phone's scrollbar cannot be grabbed.
 */
export class Scrubber {
  #element = find('#scrubber');
  #bubble = find('#scrubber-number');
  #grid;
  #isDragged = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hiding;

  /** @param {import('./grid.js').Grid} grid */
  constructor(grid) {
    this.#grid = grid;
    grid.addEventListener('move', () => this.#follow());
    grid.addEventListener('rest', () => this.#hideUnlessDragged());
    this.#element.addEventListener('pointerdown', (event) => this.#take(event));
    this.#element.addEventListener('pointermove', (event) => this.#drag(event));
    for (const end of ['pointerup', 'pointercancel']) this.#element.addEventListener(end, () => this.#letGo());
  }

  #follow() {
    const { scroller, geometry } = this.#grid;
    if (geometry.height < fewScreens * geometry.viewHeight) return;
    const { position } = this.#grid;
    this.#bubble.textContent = geometry.titleAt(position) || formatNumber(position + 1);
    this.#element.style.setProperty('--progress', scroller.progress.toFixed(4));
    if (this.#isDragged || isFastByPixels(scroller.velocity, geometry.viewHeight)) this.#show('number');
    else if (scroller.velocity !== 0 && !this.#element.dataset.shown) this.#show('handle');
  }

  /** @param {'handle' | 'number'} what */
  #show(what) {
    clearTimeout(this.#hiding);
    this.#element.dataset.shown = what;
  }

  #hideUnlessDragged() {
    if (this.#isDragged || !this.#element.dataset.shown) return;
    this.#show('handle');
    this.#hiding = setTimeout(() => delete this.#element.dataset.shown, linger);
  }

  /** @param {PointerEvent} event */
  #take(event) {
    this.#isDragged = true;
    this.#show('number');
    this.#element.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    if (!this.#isDragged) return;
    const track = /** @type {HTMLElement} */ (this.#element.parentElement).getBoundingClientRect();
    const handle = this.#element.offsetHeight;
    const share = (event.clientY - track.top - handle / 2) / Math.max(1, track.height - handle);
    this.#grid.scroller.dragToShare(share);
  }

  #letGo() {
    this.#isDragged = false;
    this.#hideUnlessDragged();
  }
}
