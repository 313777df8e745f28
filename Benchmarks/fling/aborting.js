/**
 * A virtualised grid as one writes it today: the rows on screen and two beyond each edge are in the document; a cell that
 * leaves aborts its request; six requests at once (more a browser does not send), visible cells first and the centre
 * first; a picture is decoded before it is put in.
 */
const style = getComputedStyle(document.documentElement);
const lengthOf = (name) => Number.parseFloat(style.getPropertyValue(name));
const columns = lengthOf('--columns');
const total = lengthOf('--total');
const top = lengthOf('--top');
const tile = lengthOf('--tile');
const pitch = tile + lengthOf('--gap');
const overscan = 2;
const places = 6;

const main = document.querySelector('main');
main.style.height = `${Math.ceil(total / columns) * pitch}px`;

/** @typedef {{element: HTMLElement, index: number, abort: AbortController | null}} Cell */
/** @type {Map<number, Cell>} */
const cells = new Map();
/** @type {Cell[]} */
const spare = [];
/** @type {Set<Cell>} */
const waiting = new Set();
let underWay = 0;

function makeCell() {
  const element = document.createElement('div');
  element.className = 'slot';
  main.append(element);
  return { element, index: -1, abort: null };
}

function enter(index) {
  const cell = spare.pop() ?? makeCell();
  cell.index = index;
  const { element } = cell;
  element.hidden = false;
  element.dataset.index = String(index);
  element.dataset.phase = 'waiting';
  element.style.transform = `translate(${(index % columns) * pitch}px, ${Math.floor(index / columns) * pitch}px)`;
  cells.set(index, cell);
  waiting.add(cell);
}

function leave(cell) {
  cells.delete(cell.index);
  waiting.delete(cell);
  cell.abort?.abort();
  cell.abort = null;
  cell.index = -1;
  cell.element.replaceChildren();
  cell.element.removeAttribute('data-index');
  cell.element.hidden = true;
  spare.push(cell);
}

function distance(cell) {
  const middle = Math.floor(cell.index / columns) * pitch + tile / 2;
  return Math.abs(middle - scrollY - (innerHeight - top) / 2);
}

function next() {
  while (underWay < places && waiting.size > 0) {
    const cell = [...waiting].reduce((best, one) => (distance(one) < distance(best) ? one : best));
    waiting.delete(cell);
    load(cell);
  }
}

async function load(cell) {
  const abort = new AbortController();
  cell.abort = abort;
  underWay += 1;
  let url = '';
  try {
    const response = await fetch(`/tiles/${cell.index}.avif`, { signal: abort.signal });
    if (!response.ok) throw new Error(`${response.status}`);
    url = URL.createObjectURL(await response.blob());
  } catch {
    if (!abort.signal.aborted) cell.element.dataset.phase = 'failed';
  } finally {
    underWay -= 1;
    next();
  }
  if (!url) return;
  const image = new Image();
  image.src = url;
  await image.decode().catch(() => {});
  URL.revokeObjectURL(url);
  if (abort.signal.aborted) return;
  cell.element.replaceChildren(image);
  cell.element.dataset.phase = 'shown';
}

function update() {
  const first = Math.max(0, Math.floor(scrollY / pitch) - overscan) * columns;
  const last = Math.min(total, (Math.ceil((scrollY + innerHeight - top) / pitch) + overscan) * columns) - 1;
  for (const cell of [...cells.values()]) if (cell.index < first || cell.index > last) leave(cell);
  for (let index = first; index <= last; index += 1) if (!cells.has(index)) enter(index);
  next();
}

addEventListener('scroll', update, { passive: true });
addEventListener('resize', update);
update();
