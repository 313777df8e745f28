import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Arrangement, densityCount } from '../../Public/grid/arrangement.js';
import { blankRow, layBlock, planBlock, roomForRows } from '../../Public/grid/block.js';
import { Shape } from '../../Public/catalog/shape.js';
import { dice, galleries, ratiosOf } from './dice.js';

const screens = [
  { width: 1256, height: 748, gap: 4 }, { width: 1416, height: 848, gap: 4 }, { width: 768, height: 960, gap: 4 },
  { width: 390, height: 796, gap: 2 }, { width: 3816, height: 2108, gap: 4 },
];
const some = new Shape({ revision: 1, block: 256, parts: [0], sums: [1] }, 1);

/** Blocks of all galleries, on all screens, at all densities. */
function* blocks(counts = [1, 2, 3, 9, 40, 128, 256, 383]) {
  for (const screen of screens) {
    for (let density = 0; density < densityCount; density += 1) {
      const { measures } = new Arrangement({ density }).layout(screen, some);
      for (const [kind, kinds] of Object.entries(galleries)) {
        for (const count of counts) {
          for (const isOpenEnded of count < 128 ? [true] : [true, false]) {
            const ratios = ratiosOf(count, kinds, dice(count * 31 + density + screen.width + kind.length));
            const sum = ratios.reduce((all, each) => all + each, 0);
            const block = { count, sum, isOpenEnded };
            yield { kind, density, screen, measures, ratios, block, plan: planBlock(block, measures) };
          }
        }
      }
    }
  }
}

test('the rows of a block hold all its images in sequence, one below the other down to its end', () => {
  let looked = 0;
  for (const { measures, ratios, block, plan } of blocks()) {
    const rows = layBlock(plan, ratios, measures);
    let [next, bottom] = [0, 0];
    for (const { top, height, room, first, last, lefts, widths } of rows) {
      assert.equal(first, next);
      assert.equal(top, bottom);
      assert.ok(last >= first && height >= 1 && room >= height + measures.gap, `${height} in ${room}`);
      assert.equal(lefts.length, last - first + 1);
      lefts.forEach((left, at) => {
        const apart = at === 0 ? left : left - lefts[at - 1] - widths[at - 1];
        assert.ok(at === 0 ? apart === 0 : apart >= measures.gap && apart <= 4 * measures.gap, `${apart} apart`);
        assert.ok(widths[at] >= 1);
      });
      assert.ok(lefts.at(-1) + widths.at(-1) <= Math.ceil(measures.width));
      next = last + 1;
      bottom = top + room;
      looked += 1;
    }
    assert.equal(next, block.count);
    assert.equal(bottom, plan.height);
    assert.ok(rows.length <= roomForRows(plan, block.count));
  }
  assert.ok(looked > 50_000, `${looked} rows`);
});

test('no image is cropped by more than a few per cent', () => {
  let [looked, most] = [0, 0];
  for (const { kind, measures, ratios, plan } of blocks()) {
    for (const { first, height, widths } of layBlock(plan, ratios, measures)) {
      widths.forEach((width, at) => {
        // Whole pixels, of the row's height and of the width.
        const grain = 0.75 / height + 1 / width;
        const off = Math.abs(Math.log(width / height / ratios[first + at])) - grain;
        assert.ok(off <= 0.016, `${kind}: ${width} by ${height} is not ${ratios[first + at]}`);
        most = Math.max(most, off);
        looked += 1;
      });
    }
  }
  assert.ok(looked > 200_000 && most > 0);
});

test('no row is enlarged: rows of few images stay near the intended height', () => {
  let looked = 0;
  for (const { kind, measures, ratios, plan, density, screen } of blocks()) {
    if (!['camera', 'alike', 'wide'].includes(kind) || measures.width / measures.rowHeight < 2) continue;
    for (const { height } of layBlock(plan, ratios, measures)) {
      const share = height / measures.rowHeight;
      assert.ok(share < 2.1, `${share} at ${density} on ${screen.width}`);
      looked += 1;
    }
  }
  assert.ok(looked > 10_000);
});

test('in a block of equal images almost all rows have the same count', () => {
  for (const { kind, measures, ratios, block, plan } of blocks([256, 300])) {
    if (kind !== 'alike' && kind !== 'wide') continue;
    const counts = layBlock(plan, ratios, measures).map(({ first, last }) => last - first + 1);
    const usual = counts.toSorted()[Math.floor(counts.length / 2)];
    const others = counts.filter((count) => count !== usual).length;
    assert.ok(others <= 4, `${others} of ${counts.length} rows of ${block.count} ${kind}`);
  }
});

test('the height of a block depends only on its count and sum, not on the sequence of its images', () => {
  const roll = dice(5);
  for (const { measures, ratios, block, plan } of blocks([40, 256])) {
    const shuffled = ratios.map((ratio) => [roll(0, 1_000_000), ratio]).sort(([one], [other]) => one - other);
    const rows = layBlock(planBlock(block, measures), shuffled.map(([, ratio]) => ratio), measures);
    assert.equal(rows.reduce((all, { room }) => all + room, 0), plan.height);
  }
});

test('a block of unknown images has rows that fill it', () => {
  for (const { measures, block, plan } of blocks()) {
    let [next, bottom] = [0, 0];
    for (let row = 0; row < plan.rows; row += 1) {
      const { top, room, first, last } = blankRow(plan, block.count, measures.gap, row);
      assert.equal(first, next);
      assert.equal(top, bottom);
      assert.ok(last >= first);
      next = last + 1;
      bottom = top + room;
    }
    assert.equal(next, block.count);
    assert.equal(bottom, plan.height);
  }
});

test('the five densities differ on any screen, from small images to large ones', () => {
  for (const screen of screens) {
    for (const kind of ['justified', 'squares']) {
      const heights = Array.from({ length: densityCount }, (_, density) =>
        new Arrangement({ kind, density }).layout(screen, some).tileHeight);
      heights.reduce((before, height) => {
        assert.ok(height > before * 1.1, `${heights} on ${screen.width}`);
        return height;
      });
    }
  }
});
