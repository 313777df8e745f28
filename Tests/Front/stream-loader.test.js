import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { View } from '../../Public/catalog/view.js';
import { PictureCache } from '../../Public/loading/cache.js';
import { Slot } from '../../Public/loading/slot.js';
import { StreamLoader } from '../../Public/stream/stream-loader.js';

const image = (id) => ({ id, index: 0, name: `${id}.jpg`, links: { tile: `/images/${id}/tile?v=1` } });

/** A slot that starts again when another picture belongs there, as those of the grid do. */
class Place extends Slot {
  rebind(other) {
    if (other?.id !== this.image?.id) this.begin(this.number, other ?? null);
  }
}

/** The parts of a page that the loader uses. */
class House {
  stream = Object.assign(new EventTarget(), { isOpen: true, announceHeld() {}, show() {} });
  pages = Object.assign(new EventTarget(), {
    view: new View(),
    revision: 1,
    /** The known image of each slot. */
    known: new Map(),
    imageAt(slot) {
      return this.known.get(slot);
    },
  });
  loader = new StreamLoader({ stream: this.stream, pages: this.pages, cache: new PictureCache(1_048_576) });

  /** A slot that shows the image that the page has there. */
  slot(number) {
    const slot = new Place('tile');
    slot.begin(number, this.loader.imageAt(number) ?? null);
    this.loader.request(slot);
    return slot;
  }

  /** The server assigns an image to a slot in the order of a revision. */
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

test('assignments that waited for an order are given to the slots that stay when it is displayed', () => {
  const house = new House();
  house.adopt(1, { 5: 'five' });
  const slot = house.slot(5);
  house.assign(5, 'five', 'first', 1);
  assert.equal(slot.token, 'first');
  // The page no longer knows the slot's image when the server moves on to another order and another token.
  house.adopt(1, {});
  house.assign(5, 'five', 'second', 2);
  assert.equal(slot.token, 'first');
  house.adopt(2, { 5: 'five' });
  assert.equal(slot.token, 'second');
});

test('an assignment that waited for an order is given to a slot with another image only once that is renumbered', () => {
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

test('an assignment far from the viewport stays when the same order is displayed again', () => {
  const house = new House();
  house.adopt(1, { 5: 'five', 5_000: 'far' });
  house.assign(5_000, 'far', 'first', 1);
  house.adopt(2, { 5: 'five', 5_000: 'far' });
  assert.equal(house.slot(5_000).token, 'first');
});
