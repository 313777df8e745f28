/**
 * @typedef {import('./sections.js').RowPlace} RowPlace
 * @typedef {{count: number, height: number, room: number, lefts: number[], widths: number[]}} KeptRow  A row as it is;
 *   `room` reaches down to the next one. All in pixels.
 * @typedef {{first: number, count: number, rows: KeptRow[]}} Run  Consecutive rows, and the slot that their first image
 *   has now.
 * @typedef {{place: RowPlace, images: (string | undefined)[]}} ShownRow  A row in the document, and its images.
 */

/**
 * The rows that can stay as they are when the order has changed: those around an image in which the same images are
 * neighbours in both orders.
 *
 * @param {ShownRow[]} shown  Rows of images, in sequence.
 * @param {number} from  The image's position before.
 * @param {number} to  Its position now.
 * @param {(slot: number) => string | undefined} imageAt  The image in a slot now, if known.
 * @param {number[]} begins  The first slot of each part, and the end of the last one.
 * @returns {Run[]}  At most one per part.
 */
export function keptRuns(shown, from, to, imageAt, begins) {
  const by = to - from;
  const isKept = (/** @type {ShownRow} */ { place, images }) =>
    place.lefts !== undefined && place.first + by >= 0 && !begins.some((begin) => begin > place.first + by && begin <= place.last + by) &&
    place.last + by < begins[begins.length - 1] &&
    images.every((id, at) => {
      const now = imageAt(place.first + by + at);
      return id === undefined || now === undefined || id === now;
    });
  const anchor = shown.findIndex(({ place }) => place.first <= from && from <= place.last);
  if (anchor < 0 || !isKept(shown[anchor])) return [];
  const follows = (/** @type {number} */ at) => shown[at].place.last + 1 === shown[at + 1].place.first;
  let [top, bottom] = [anchor, anchor];
  while (top > 0 && follows(top - 1) && isKept(shown[top - 1])) top -= 1;
  while (bottom < shown.length - 1 && follows(bottom) && isKept(shown[bottom + 1])) bottom += 1;
  /** @type {Run[]} */
  const runs = [];
  for (const { place } of shown.slice(top, bottom + 1)) {
    const { first, last, height, room, lefts = [], widths = [] } = place;
    const count = last - first + 1;
    const isNew = runs.length === 0 || begins.includes(first + by);
    if (isNew) runs.push({ first: first + by, count: 0, rows: [] });
    const run = runs[runs.length - 1];
    run.rows.push({ count, height, room, lefts, widths });
    run.count += count;
  }
  return runs;
}

/**
 * Whether the geometry has exactly these rows.
 * @param {Run} run
 * @param {import('./geometry.js').Geometry} geometry
 */
export function hasRun({ first, rows }, geometry) {
  let [slot, top] = [first, geometry.topOf(geometry.rowOf(first))];
  return rows.every(({ count, height, room, lefts, widths }) => {
    const place = geometry.row(geometry.rowOf(slot));
    const isSame = place.first === slot && place.last === slot + count - 1 && place.top === top &&
      place.height === height && isEqual(place.lefts, lefts) && isEqual(place.widths, widths);
    slot += count;
    top += room;
    return isSame;
  });
}

/**
 * @param {number[] | undefined} one
 * @param {number[]} other
 */
function isEqual(one, other) {
  return one !== undefined && one.length === other.length && one.every((value, at) => value === other[at]);
}
