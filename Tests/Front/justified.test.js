import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Arrangement, densityCount } from '../../Public/grid/arrangement.js';
import { Geometry } from '../../Public/grid/geometry.js';
import { hasRun, keptRuns } from '../../Public/grid/kept-rows.js';
import { assumedAspect } from '../../Public/catalog/aspect.js';
import { Shape, ratiosPerWindow } from '../../Public/catalog/shape.js';
import { dice, galleries, ratiosOf } from './dice.js';

const desktop = { width: 1256, height: 748, gap: 4 };
const phone = { width: 390, height: 796, gap: 2 };

const byteOf = (ratio) => Math.round(Math.log2(ratio) * 32) + 128;
const ratioOf = (byte) => (byte === 0 ? assumedAspect : 2 ** ((byte - 128) / 32));

/** A gallery of these pictures in months of these sizes, as a server would describe it. */
class Gallery {
  constructor(bytes, counts = [bytes.length]) {
    this.bytes = bytes;
    this.counts = counts;
  }

  static random(seed, counts) {
    const kinds = Object.values(galleries)[seed % 4];
    const total = counts.reduce((all, count) => all + count, 0);
    return new Gallery(ratiosOf(total, kinds, dice(seed)).map(byteOf), counts);
  }

  get parts() {
    const isOne = this.counts.length === 1;
    return this.counts.map((count, at) => ({ title: isOne ? '' : `Month ${at}`, count }));
  }

  shape({ knows = true } = {}) {
    const parts = [];
    const sums = [];
    let first = 0;
    for (const count of this.counts) {
      parts.push(first);
      for (let at = first; at < first + count; at += 256) {
        const block = this.bytes.slice(at, Math.min(at + 256, first + count));
        sums.push(Math.round(block.reduce((all, byte) => all + ratioOf(byte), 0) * 10) / 10);
      }
      first += count;
    }
    const shape = new Shape({ revision: 1, total: this.bytes.length, block: 256, parts, sums }, this.bytes.length);
    for (const window of knows ? shape.missing(0, this.bytes.length - 1) : []) this.tell(shape, window);
    return shape;
  }

  tell(shape, window) {
    shape.put(window, Uint8Array.from(this.bytes.slice(window * ratiosPerWindow, (window + 1) * ratiosPerWindow)));
  }

  geometry({ screen = desktop, density = 2, shape = this.shape(), bent } = {}) {
    const layout = new Arrangement({ density }).layout(screen, shape, bent);
    return new Geometry({ height: screen.height, heading: 48, parts: this.parts, layout });
  }
}

function* several() {
  for (let seed = 1; seed <= 12; seed += 1) {
    const roll = dice(seed);
    const counts = Array.from({ length: roll(1, 30) }, () => 1 + roll(0, 3) * roll(0, 200));
    const gallery = Gallery.random(seed, seed % 3 === 0 ? [roll(1, 6_000)] : counts);
    const given = { screen: seed % 2 ? desktop : phone, density: seed % 5 };
    yield { roll, gallery, given, geometry: gallery.geometry(given) };
  }
}

const rowsOf = (geometry) => [...geometry.rowsBetween(0, geometry.rows - 1)];

test('rows and headings lie directly below each other, and every slot is in one row', () => {
  let slots = 0;
  for (const { gallery, geometry } of several()) {
    let [next, bottom] = [0, 0];
    for (const { number, top, room, height, title, first, last, lefts } of rowsOf(geometry)) {
      assert.equal(top, bottom);
      bottom = top + room;
      assert.equal(first, next);
      if (title !== null) continue;
      assert.equal(lefts.length, last - first + 1);
      assert.ok(height + geometry.gap <= room);
      for (let slot = first; slot <= last; slot += 1) {
        assert.equal(geometry.rowOf(slot), number);
        assert.equal(geometry.columnOf(slot), slot - first);
      }
      slots += last - first + 1;
      next = last + 1;
    }
    assert.equal(next, gallery.bytes.length);
    assert.equal(geometry.height, bottom - geometry.gap);
  }
  assert.ok(slots > 15_000);
});

test('slots map to places and back', () => {
  for (const { roll, gallery, geometry } of several()) {
    for (let time = 0; time < 200; time += 1) {
      const slot = roll(0, gallery.bytes.length - 1);
      const { top, height, lefts, widths, start } = geometry.row(geometry.rowOf(slot));
      const x = lefts[slot - start] + widths[slot - start] / 2;
      assert.equal(geometry.slotAt(x, top + height / 2), slot);
      const { first, last } = geometry.slotsAt(top);
      assert.ok(first <= slot && slot <= last);
    }
  }
});

test('no block moves when the aspect ratios of its images become known', () => {
  for (const { gallery, given, geometry } of several()) {
    const shape = gallery.shape({ knows: false });
    const blank = gallery.geometry({ ...given, shape });
    assert.equal(blank.height, geometry.height);
    assert.equal(blank.rows, geometry.rows);
    // The first row of each part, however many rows there are above it.
    let first = 0;
    for (const { count } of gallery.parts) {
      assert.equal(blank.topOf(blank.rowOf(first)), geometry.topOf(geometry.rowOf(first)));
      first += count;
    }
    const [top] = rowsOf(blank).filter(({ title }) => title === null);
    assert.equal(top.lefts, undefined, 'images of unknown aspect ratio were laid out');
    for (const window of shape.missing(0, gallery.bytes.length)) gallery.tell(shape, window);
    assert.deepEqual(rowsOf(blank).slice(0, 200), rowsOf(geometry).slice(0, 200));
  }
});

test('a gallery whose middle alone is known lays out the rest as usual', () => {
  const gallery = Gallery.random(3, [20_000]);
  const shape = gallery.shape({ knows: false });
  gallery.tell(shape, 2);
  const [partly, wholly] = [gallery.geometry({ shape }), gallery.geometry()];
  const slot = 2 * ratiosPerWindow + 300;
  assert.deepEqual(partly.row(partly.rowOf(slot)), wholly.row(wholly.rowOf(slot)));
  assert.equal(partly.row(partly.rowOf(19_000)).lefts, undefined);
  for (let at = 0; at < 20_000; at += 256) {
    const [one, other] = [partly.row(partly.rowOf(at)), wholly.row(wholly.rowOf(at))];
    assert.equal(one.top, other.top, `block at ${at}`);
  }
});

test('the document never holds more than 150 images, and always the viewport', () => {
  let most = 0;
  for (const screen of [desktop, phone, { width: 3816, height: 2108, gap: 4 }]) {
    for (let density = 0; density < densityCount; density += 1) {
      for (const kinds of Object.keys(galleries)) {
        const gallery = new Gallery(ratiosOf(3_000, galleries[kinds], dice(7)).map(byteOf));
        const geometry = gallery.geometry({ screen, density });
        for (let offset = 0; offset < geometry.furthest; offset += 171) {
          const [seen, kept] = [geometry.rowsAt(offset), geometry.rowsAround(offset)];
          assert.ok(kept.first <= seen.first && kept.last >= seen.last);
          const cells = geometry.row(kept.last).last - geometry.row(kept.first).first + 1;
          const held = kinds === 'extreme' ? 0 : geometry.columns;
          most = Math.max(most, cells);
          assert.ok(cells <= 150, `${cells} of ${kinds} at ${density} on ${screen.width}, and ${held} with the focus`);
        }
      }
    }
  }
  assert.ok(most > 100);
});

/** The rows on the page at an offset, with their images. */
function shownAt(geometry, offset, imageAt) {
  const { first, last } = geometry.rowsAround(offset);
  return [...geometry.rowsBetween(first, last)].filter(({ title }) => title === null).map((place) => ({
    place, images: Array.from({ length: place.last - place.first + 1 }, (_, at) => imageAt(place.first + at)),
  }));
}

test('images inserted off screen move no visible row, to the pixel', () => {
  let looked = 0;
  for (const { roll, gallery, given, geometry } of several()) {
    if (gallery.bytes.length < 300) continue;
    for (let time = 0; time < 12; time += 1) {
      const offset = roll(0, Math.floor(geometry.furthest));
      const images = gallery.bytes.map((_, at) => `old ${at}`);
      const shown = shownAt(geometry, offset, (slot) => images[slot]);
      const from = geometry.slotsAt(offset).first;
      const last = shown.at(-1).place.last;
      // Into any months above, and into the month on screen, above and below the viewport.
      const bytes = [...gallery.bytes];
      const counts = [...gallery.counts];
      let to = from;
      for (const [at, many] of [[last + 1 + roll(0, 50), roll(0, 40)], [roll(0, shown[0].place.first), roll(1, 1_000)]]) {
        if (at > images.length) continue;
        let month = 0;
        for (let begin = 0; month < counts.length - 1 && begin + counts[month] <= at; month += 1) begin += counts[month];
        counts[month] += many;
        bytes.splice(at, 0, ...Array.from({ length: many }, () => 100 + roll(0, 60)));
        images.splice(at, 0, ...Array.from({ length: many }, () => 'new'));
        if (at <= from) to += many;
      }
      const after = new Gallery(bytes, counts);
      const begins = [0];
      for (const count of counts) begins.push(begins.at(-1) + count);
      const runs = keptRuns(shown, from, to, (slot) => images[slot], begins);
      const next = after.geometry({ ...given, bent: { runs } });
      assert.equal(next.total, bytes.length);
      const way = next.topOf(next.rowOf(to)) - geometry.topOf(geometry.rowOf(from));
      for (const { place } of shown) {
        const moved = next.row(next.rowOf(place.first + to - from));
        const is = [moved.top - way, moved.height, moved.lefts, moved.widths];
        assert.deepEqual(is, [place.top, place.height, place.lefts, place.widths]);
        looked += 1;
      }
      // The rows around it are complete, too.
      let bottom = 0;
      let slots = 0;
      for (const { top, room, title, first, last: end } of rowsOf(next)) {
        assert.equal(top, bottom);
        bottom += room;
        if (title === null) slots += end - first + 1;
      }
      assert.equal(slots, bytes.length);
    }
  }
  assert.ok(looked > 500, `${looked}`);
});

test('rows that match the usual layout need not be kept, and others do', () => {
  const gallery = Gallery.random(2, [3_000]);
  const geometry = gallery.geometry();
  const shown = shownAt(geometry, 10_000, String);
  const [run] = keptRuns(shown, shown[2].place.first, shown[2].place.first, String, [0, 3_000]);
  assert.equal(run.rows.length, shown.length);
  assert.ok(hasRun(run, geometry));
  assert.ok(!hasRun({ ...run, first: run.first + 1 }, geometry));
  assert.ok(!hasRun(run, gallery.geometry({ density: 3 })));
});

test('rows are laid out again from the first changed image on', () => {
  const gallery = Gallery.random(2, [3_000]);
  const geometry = gallery.geometry();
  const shown = shownAt(geometry, 10_000, String);
  const gone = shown[4].place.first + 1;
  const kept = (from) => keptRuns(shown, from, from, (slot) => String(slot < gone ? slot : slot + 1), [0, 3_000]);
  assert.equal(kept(shown[0].place.first)[0].rows.length, 4);
  assert.deepEqual(kept(shown[4].place.first), []);
});

test('rows without any of their images, or before the first slot, are not kept', () => {
  const geometry = Gallery.random(2, [3_000]).geometry();
  const shown = shownAt(geometry, 0, String);
  const from = shown[3].place.first;
  const to = from - shown[1].place.last - 1;
  const [run] = keptRuns(shown, from, to, (slot) => String(slot + from - to), [0, 3_000]);
  assert.equal(run.first, 0);
  assert.equal(run.rows.length, shown.length - 2);
});

test('up and down lead to the image whose middle is nearest, across headings, and back', () => {
  const gallery = Gallery.random(1, [300, 2, 300]);
  const geometry = gallery.geometry();
  for (let slot = 0; slot < geometry.total; slot += 7) {
    const below = geometry.slotBeside(slot, 1);
    const [one, other] = [geometry.row(geometry.rowOf(slot)), geometry.row(geometry.rowOf(below))];
    if (below === slot) {
      assert.equal(one.last, geometry.total - 1);
      continue;
    }
    assert.equal(other.first, one.last + 1);
    const middle = (place, at) => place.lefts[at - place.first] + place.widths[at - place.first] / 2;
    const far = (at) => Math.abs(middle(other, at) - middle(one, slot));
    for (let at = other.first; at <= other.last; at += 1) assert.ok(far(below) <= far(at));
    const beyond = geometry.slotBeyond(slot, 1);
    assert.ok(geometry.topOf(geometry.rowOf(beyond)) > one.top);
  }
});

test('lookups in a million images and thousands of months take a few steps each', () => {
  const bytes = new Array(1_000_000).fill(141);
  const counts = Array.from({ length: 5_000 }, () => 200);
  const geometry = new Gallery(bytes, counts).geometry();
  assert.equal(geometry.total, 1_000_000);
  assert.equal(geometry.slotsAt(geometry.furthest).last, 999_999);
  let sum = 0;
  for (let slot = 0; slot < 1_000_000; slot += 97) sum += geometry.topOf(geometry.rowOf(slot)) > 0 ? 1 : 0;
  assert.ok(sum > 10_000);
});
