import assert from 'node:assert/strict';
import { test } from 'node:test';

import { View } from '../../Public/catalog/view.js';
import { PictureCache } from '../../Public/loading/cache.js';
import { Slot } from '../../Public/loading/slot.js';
import { StreamLoader } from '../../Public/stream/loader.js';

const image = (id) => ({ id, index: 0, name: `${id}.jpg`, links: { tile: `/images/${id}/tile?v=1` } });

/** One that begins anew where another picture belongs, as the grid's do. */
class Place extends Slot {
  rebind(image) {
    if (image?.id !== this.image?.id) this.begin(this.number, image ?? null);
  }
}

/** The parts of a page about the loader, as far as it asks them. */
class House {
  stream = Object.assign(new EventTarget(), { isOpen: true, tellOf() {}, show() {} });
  pages = Object.assign(new EventTarget(), {
    view: new View(),
    revision: 1,
    /** What stands where, as far as the page knows. */
    known: new Map(),
    imageAt(slot) {
      return this.known.get(slot);
    },
  });
  loader = new StreamLoader({ stream: this.stream, pages: this.pages, cache: new PictureCache(1_048_576) });

  /** A slot that shows what is there, by the page. */
  slot(number) {
    const slot = new Place('tile');
    slot.begin(number, this.loader.imageAt(number) ?? null);
    this.loader.request(slot);
    return slot;
  }

  /** The server says that the image stands there in the order of a revision. */
  assign(slot, id, token, revision) {
    const assignments = [{ slot, image: id, name: `${id}.jpg`, version: '1', token, revision, rendition: 'tile' }];
    this.stream.dispatchEvent(new CustomEvent('assigned', { detail: { assignments } }));
  }

  /** The page shows another order. */
  adopt(revision, known, move = { from: 0, to: 0 }) {
    this.pages.revision = revision;
    this.pages.known = new Map(Object.entries(known).map(([slot, id]) => [Number(slot), image(id)]));
    this.pages.dispatchEvent(new CustomEvent('order', { detail: { ...move, isOtherView: false } }));
  }
}

test('what waited for an order is given to the slots that stay where they are when it is shown', () => {
  const house = new House();
  house.adopt(1, { 5: 'five' });
  const slot = house.slot(5);
  house.assign(5, 'five', 'first', 1);
  assert.equal(slot.token, 'first');
  // The page knows nothing of the place any more when the server goes on to another order, and to another token.
  house.adopt(1, {});
  house.assign(5, 'five', 'second', 2);
  assert.equal(slot.token, 'first');
  house.adopt(2, { 5: 'five' });
  assert.equal(slot.token, 'second');
});

test('what waited for an order is given to no slot that shows another picture until it is renumbered', () => {
  const house = new House();
  house.adopt(1, { 5: 'five', 6: 'six' });
  const slot = house.slot(5);
  house.assign(5, 'five', 'first', 1);
  house.assign(5, 'new', 'second', 2);
  house.assign(6, 'five', 'third', 2);
  house.adopt(2, { 5: 'new', 6: 'five' }, { from: 5, to: 6 });
  assert.deepEqual([slot.token, slot.image.id], ['first', 'five']);
  house.loader.renumber(slot, 6);
  assert.equal(slot.token, 'third');
});

test('what is known of a place far from the screen stays there when the same order is shown again', () => {
  const house = new House();
  house.adopt(1, { 5: 'five', 5_000: 'far' });
  house.assign(5_000, 'far', 'first', 1);
  house.adopt(2, { 5: 'five', 5_000: 'far' });
  assert.equal(house.slot(5_000).token, 'first');
});
