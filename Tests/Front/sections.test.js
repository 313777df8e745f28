import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Geometry } from '../../Public/grid/geometry.js';
import { TileLayout } from '../../Public/grid/tile-layout.js';
import { dice } from './dice.js';

const screen = { width: 1280, height: 800, columns: 6, gap: 4, heading: 48 };
const phone = { width: 390, height: 844, columns: 3, gap: 2, heading: 44 };

/** Of squares. */
const geometryOf = ({ parts, height, heading, leads, pinned, ...given }) =>
  new Geometry({ parts, height, heading, layout: new TileLayout(given, { leads, pinned }) });

const titled = (...counts) => counts.map((count, at) => ({ title: `Month ${at}`, count }));

function* galleries() {
  for (let seed = 1; seed <= 30; seed += 1) {
    const roll = dice(seed);
    const parts = titled(...Array.from({ length: roll(1, 40) }, () => roll(0, 3) * roll(0, 20)));
    const leads = new Map(parts.filter(() => roll(0, 3) === 0).map(({ title }) => [title, roll(0, 9)]));
    yield { roll, parts, geometry: geometryOf({ ...(seed % 2 ? screen : phone), parts, leads }) };
  }
}

test('every slot is in exactly one row, and every row except headings has slots', () => {
  let slots = 0;
  for (const { parts, geometry } of galleries()) {
    let next = 0;
    const titles = [];
    for (let number = 0; number < geometry.rows; number += 1) {
      const { start, first, last, title } = geometry.row(number);
      assert.equal(first, next);
      if (title !== null) {
        titles.push(title);
        assert.equal(last, first - 1);
        continue;
      }
      assert.ok(last >= first && last - start < geometry.columns && start <= first);
      for (let slot = first; slot <= last; slot += 1) {
        assert.equal(geometry.rowOf(slot), number);
        assert.equal(geometry.columnOf(slot), slot - start);
        assert.equal(geometry.titleAt(slot), titles.at(-1));
      }
      next = last + 1;
    }
    assert.equal(next, geometry.total);
    assert.equal(next, parts.reduce((sum, { count }) => sum + count, 0));
    assert.deepEqual(titles, parts.filter(({ count }) => count > 0).map(({ title }) => title));
    slots += next;
  }
  assert.ok(slots > 5_000);
});

test('each row lies directly below the previous one, and the last ends where the gallery does', () => {
  for (const { geometry } of galleries()) {
    let bottom = 0;
    for (let number = 0; number < geometry.rows; number += 1) {
      const { top, height, title } = geometry.row(number);
      assert.equal(top, bottom);
      assert.equal(height, title === null ? geometry.layout.tileHeight : geometry.row(0).height);
      bottom = top + height + (title === null ? geometry.gap : 0);
    }
    assert.equal(geometry.height, Math.max(0, bottom - geometry.gap));
  }
});

test('the rows and slots on screen are those with a visible pixel, at any offset', () => {
  for (const { roll, geometry } of galleries()) {
    if (geometry.total === 0) continue;
    for (let time = 0; time < 50; time += 1) {
      const offset = roll(0, Math.ceil(geometry.furthest));
      const isSeen = (number) => {
        const { top, height } = geometry.row(number);
        return top + height > offset && top < offset + geometry.viewHeight;
      };
      const { first, last } = geometry.rowsAt(offset);
      assert.ok(isSeen(first) && (first === 0 || !isSeen(first - 1)));
      assert.ok(last === geometry.rows - 1 || !isSeen(last + 1));
      assert.ok(isSeen(last));
      const slots = geometry.slotsAt(offset);
      const seen = Array.from({ length: geometry.total }, (_, slot) => slot).filter((slot) => isSeen(geometry.rowOf(slot)));
      if (seen.length > 0) assert.deepEqual(slots, { first: seen[0], last: seen.at(-1) });
    }
  }
});

test('at the start of a row, that row is the first on screen; at a heading, the slots below it are', () => {
  for (const { geometry } of galleries()) {
    for (let slot = 0; slot < geometry.total; slot += 1) {
      const start = geometry.startOf(slot);
      assert.ok(geometry.slotsAt(start).first <= slot);
      const row = geometry.rowOf(slot);
      const above = row > 0 ? geometry.row(row - 1) : undefined;
      assert.equal(start, above?.title ? above.top : geometry.topOf(row));
      if (start <= geometry.furthest) assert.equal(geometry.offsetShowing(row, start + 10_000_000), start);
    }
  }
});

test('images inserted above keep every visible row in place, to the pixel', () => {
  let moves = 0;
  for (const { roll, parts, geometry: before } of galleries()) {
    if (before.total < 10) continue;
    for (let time = 0; time < 20; time += 1) {
      const from = roll(0, before.total - 1);
      const offset = before.topOf(before.rowOf(from)) + roll(0, before.layout.tileHeight - 1);
      const { last } = before.slotsAt(offset);
      // Into the same part, into others above, and into new ones between them.
      const title = before.titleAt(from);
      const [at] = parts.flatMap((part, index) => (part.title === title ? [index] : []));
      const next = parts.map((part) => ({ ...part }));
      let to = from;
      for (let more = roll(1, 3); more > 0; more -= 1) {
        const into = roll(0, at);
        const count = roll(1, 1_000);
        next[into].count += count;
        to += count;
      }
      if (roll(0, 1)) {
        next.splice(roll(0, at), 0, { title: 'New month', count: 7 });
        to += 7;
      }
      const pinned = { slot: to, column: before.columnOf(from) };
      const given = before.columns === 3 ? phone : screen;
      const after = geometryOf({ ...given, parts: next, leads: before.leads, pinned });
      assert.equal(after.columns, before.columns);
      const way = after.topOf(after.rowOf(to)) - before.topOf(before.rowOf(from));
      for (let slot = before.row(before.rowOf(from)).first; slot <= last; slot += 1) {
        const moved = slot + to - from;
        assert.equal(after.topOf(after.rowOf(moved)) - way, before.topOf(before.rowOf(slot)), `${slot} of ${title}`);
        assert.equal(after.columnOf(moved), before.columnOf(slot));
        moves += 1;
      }
    }
  }
  assert.ok(moves > 5_000);
});

test('up and down cross a heading to the nearest column of the row there', () => {
  const { columns } = geometryOf({ ...screen, parts: [] });
  const geometry = geometryOf({ ...screen, parts: titled(columns + 2, 3, 2 * columns) });
  const [second, third] = [columns + 2, columns + 5];
  assert.equal(geometry.slotBeside(0, 1), columns);
  assert.equal(geometry.slotBeside(4, 1), columns + 1, 'the last slot of the row');
  assert.equal(geometry.slotBeside(columns + 1, 1), second + 1, 'across the heading');
  assert.equal(geometry.slotBeside(second + 2, 1), third + 2);
  assert.equal(geometry.slotBeside(third + 5, -1), second + 2);
  assert.equal(geometry.slotBeside(second, -1), columns);
  assert.equal(geometry.slotBeside(3, -1), 3, 'there is no row above');
  assert.equal(geometry.slotBeside(third + columns, 1), third + columns, 'there is no row below');
});

test('Page Up and Page Down move by a screen, and at the ends to the first and last row', () => {
  const geometry = geometryOf({ ...screen, parts: titled(100, 3, 100) });
  const slot = geometry.slotBeyond(2, 1);
  assert.ok(geometry.topOf(geometry.rowOf(slot)) - geometry.topOf(1) > geometry.viewHeight - 2 * geometry.rowHeight);
  assert.equal(geometry.columnOf(slot), 2);
  assert.equal(geometry.slotBeyond(slot, -1), 2);
  assert.equal(geometry.slotBeyond(2, -1), 2);
  assert.equal(geometry.rowOf(geometry.slotBeyond(202, 1)), geometry.rows - 1);
});

test('the section at the top of the screen is found with its start and end', () => {
  const geometry = geometryOf({ ...screen, parts: titled(10, 20) });
  const { begin, end, title } = geometry.partAt(0);
  assert.deepEqual([title, begin], ['Month 0', 48]);
  assert.equal(geometry.partAt(end - 1).title, 'Month 0');
  assert.equal(geometry.partAt(end).title, 'Month 1');
  assert.equal(geometry.partAt(end).begin, end + 48);
});

test('lookups in thousands of months and a million images take only a few steps', () => {
  const geometry = geometryOf({ ...screen, parts: titled(...Array.from({ length: 5_000 }, () => 200)) });
  assert.equal(geometry.total, 1_000_000);
  assert.equal(geometry.slotsAt(geometry.furthest).last, 999_999);
  let sum = 0;
  // Iterating over a million pictures or thousands of months each time would take minutes.
  for (let slot = 0; slot < 1_000_000; slot += 5) sum += geometry.row(geometry.rowOf(slot)).first === slot ? 1 : 0;
  assert.ok(sum > 10_000);
});
