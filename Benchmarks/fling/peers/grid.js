/**
 * A virtualised grid as commonly written today: the document contains the rows on screen and two beyond each edge; a
 * cell that leaves aborts its request; the number of concurrent requests is limited, with the centre first; pictures
 * are decoded before they are inserted.
 *
 * @typedef {{element: HTMLElement, index: number, abort: AbortController | null}} Cell
 */
export class Grid {
  static #overscan = 2;

  #places;
  #gate;
  #previews;
  #screenFirst;
  #main = document.querySelector('main');
  /** @type {Map<number, Cell>} */
  #cells = new Map();
  /** @type {Cell[]} */
  #spare = [];
  /** @type {Set<Cell>} */
  #waiting = new Set();
  /** @type {Set<{index: number}>} */
  #underWay = new Set();

  /**
   * @param {object} given
   * @param {number} given.places  The maximum number of concurrent requests.
   * @param {boolean} [given.screenFirst]  Request nothing beyond the edges until everything on screen has arrived.
   * @param {import('./velocity.js').VelocityGate} [given.gate]  While it is closed, nothing is requested.
   * @param {import('./previews.js').PreviewBlocks} [given.previews]
   */
  constructor({ places, screenFirst = false, gate, previews }) {
    this.#places = places;
    this.#screenFirst = screenFirst;
    this.#gate = gate;
    this.#previews = previews;
    const style = getComputedStyle(document.documentElement);
    const lengthOf = (name) => Number.parseFloat(style.getPropertyValue(name));
    this.columns = lengthOf('--columns');
    this.total = lengthOf('--total');
    this.top = lengthOf('--top');
    this.tile = lengthOf('--tile');
    this.pitch = this.tile + lengthOf('--gap');
    this.#main.style.height = `${Math.ceil(this.total / this.columns) * this.pitch}px`;
  }

  start() {
    // Request previews before tiles.
    this.#previews?.start(this, this.#gate, (index) => this.#preview(this.#cells.get(index)));
    this.#gate?.start(() => this.#next());
    const update = () => this.#update();
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    update();
  }

  /** The first and the last slot on screen, with this many rows around, while the page is scrolled to `y`. */
  slotsAt(y, around = 0) {
    const first = Math.floor(y / this.pitch) - around;
    const last = Math.ceil((y + innerHeight - this.top) / this.pitch) + around;
    return [Math.max(0, first) * this.columns, Math.min(this.total, last * this.columns) - 1];
  }

  #update() {
    const [first, last] = this.slotsAt(scrollY, Grid.#overscan);
    for (const cell of [...this.#cells.values()]) if (cell.index < first || cell.index > last) this.#leave(cell);
    for (let index = first; index <= last; index += 1) if (!this.#cells.has(index)) this.#enter(index);
    this.#next();
  }

  #makeCell() {
    const element = document.createElement('div');
    element.className = 'slot';
    this.#main.append(element);
    return { element, index: -1, abort: null };
  }

  #enter(index) {
    const cell = this.#spare.pop() ?? this.#makeCell();
    const { columns, pitch } = this;
    cell.index = index;
    const { element } = cell;
    element.hidden = false;
    element.dataset.index = String(index);
    element.dataset.phase = 'waiting';
    element.style.transform = `translate(${(index % columns) * pitch}px, ${Math.floor(index / columns) * pitch}px)`;
    this.#cells.set(index, cell);
    this.#waiting.add(cell);
    this.#preview(cell);
  }

  #leave(cell) {
    this.#cells.delete(cell.index);
    this.#waiting.delete(cell);
    cell.abort?.abort();
    cell.abort = null;
    cell.index = -1;
    cell.element.replaceChildren();
    cell.element.removeAttribute('data-index');
    cell.element.hidden = true;
    this.#spare.push(cell);
  }

  /** @param {Cell | undefined} cell */
  #preview(cell) {
    if (cell?.element.dataset.phase !== 'waiting') return;
    const image = this.#previews?.imageOf(cell.index);
    if (!image) return;
    const { index, element } = cell;
    image.addEventListener('load', () => {
      if (cell.index !== index || element.dataset.phase !== 'waiting') return;
      element.replaceChildren(image);
      element.dataset.phase = 'preview';
    }, { once: true });
  }

  #distance(cell) {
    const middle = Math.floor(cell.index / this.columns) * this.pitch + this.tile / 2;
    return Math.abs(middle - scrollY - (innerHeight - this.top) / 2);
  }

  #candidates() {
    if (!this.#screenFirst) return [...this.#waiting];
    const [first, last] = this.slotsAt(scrollY);
    const isOnScreen = ({ index }) => index >= first && index <= last;
    const candidates = [...this.#waiting].filter(isOnScreen);
    const isScreenDone = candidates.length === 0 && ![...this.#underWay].some(isOnScreen);
    return isScreenDone ? [...this.#waiting] : candidates;
  }

  #next() {
    if (this.#gate?.isClosed || this.#underWay.size >= this.#places) return;
    const candidates = this.#candidates().sort((one, other) => this.#distance(one) - this.#distance(other));
    for (const cell of candidates) {
      if (this.#underWay.size >= this.#places) return;
      this.#waiting.delete(cell);
      this.#load(cell);
    }
  }

  async #load(cell) {
    const abort = new AbortController();
    // The cell may show another slot by the time this request has ended.
    const request = { index: cell.index };
    cell.abort = abort;
    this.#underWay.add(request);
    let url = '';
    try {
      const response = await fetch(`/tiles/${cell.index}.avif`, { signal: abort.signal });
      if (!response.ok) throw new Error(`${response.status}`);
      url = URL.createObjectURL(await response.blob());
    } catch {
      if (!abort.signal.aborted) cell.element.dataset.phase = 'failed';
    } finally {
      this.#underWay.delete(request);
      this.#next();
    }
    if (!url) return;
    const image = new Image();
    image.src = url;
    await image.decode().catch(() => {});
    URL.revokeObjectURL(url);
    if (abort.signal.aborted) return;
    cell.element.replaceChildren(image);
    cell.element.dataset.phase = 'displayed';
  }
}
