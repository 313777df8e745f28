import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { Assignments } from '../../Public/stream/assignments.js';

const assignment = (slot, image = `i${slot}`, token = `t${slot}`, version = '1') =>
  ({ slot, image, name: image, version, token, revision: 1 });

test('a slot has one token at a time', () => {
  const assignments = new Assignments();
  assignments.put(assignment(3));
  assert.equal(assignments.of('t3').slot, 3);
  assignments.put(assignment(3, 'i9', 't9'));
  assert.equal(assignments.of('t3'), undefined);
  assert.equal(assignments.of('t9').image, 'i9');
  assert.equal(assignments.size, 1);
});

test('renditions stay when their image gets another token', () => {
  const assignments = new Assignments();
  const preview = {};
  assignments.put(assignment(3)).preview = preview;
  assert.equal(assignments.put(assignment(3, 'i3', 'new')).preview, preview);
  assert.equal(assignments.put(assignment(3, 'other', 'newer')).preview, null);
});

test('slots far from the viewport are dropped first, with their renditions', () => {
  const assignments = new Assignments();
  for (let slot = 0; slot < 3_000; slot += 1) {
    assignments.put(assignment(slot));
    assignments.trim(slot);
  }
  assert.ok(assignments.size <= 1_500);
  assert.ok(assignments.at(2_999) && assignments.at(2_600));
  assert.equal(assignments.at(0), undefined);
  assert.equal(assignments.of('t0'), undefined);
});

test('an image is described by its page of the catalog, with links to the version that arrived', () => {
  const assignments = new Assignments();
  const assigned = assignments.put(assignment(3));
  const page = { id: 'i3', index: 3, name: '3.jpg', width: 10, links: { tile: 'images/i3/tile' } };
  const described = assigned.describe(page);
  assert.equal(described.width, 10);
  assert.equal(described.links.tile, 'images/i3/tile?v=1');
  assert.equal(assigned.describe(page), described);
  assigned.learn({ version: '2', isIncomplete: false });
  assert.equal(assigned.describe(page).links.tile, 'images/i3/tile?v=2');
});

test('incompleteness is learned from a rendition, and applies to that version only', () => {
  const assignments = new Assignments();
  const page = { id: 'i3', index: 3, name: '3.jpg', links: { tile: 'images/i3/tile?v=1' } };
  const assigned = assignments.put(assignment(3));
  assert.ok(!assigned.describe(page).incomplete);
  assigned.learn({ version: '1', isIncomplete: true });
  assert.ok(assigned.describe(page).incomplete);
  // A preview made from part of the file, or an older page, does not know about it.
  assigned.learn({ version: '1', isIncomplete: false });
  assert.ok(assigned.describe({ ...page }).incomplete);
  assert.ok(assignments.put(assignment(3, 'i3', 'new')).describe(page).incomplete);
  assert.ok(!assignments.put(assignment(3, 'i3', 'newer', '2')).describe(page).incomplete);
  assigned.learn({ version: '2', isIncomplete: false });
  assert.ok(!assigned.describe({ ...page }).incomplete);
});

test('catalog metadata of another version does not apply to this one', () => {
  const incomplete = (version) =>
    ({ id: 'i3', index: 3, name: '3.jpg', incomplete: true, links: { tile: `images/i3/tile?v=${version}` } });
  const assigned = new Assignments().put(assignment(3));
  assert.ok(!assigned.describe(incomplete('0')).incomplete);
  assert.ok(assigned.describe(incomplete('1')).incomplete);
  assigned.learn({ version: '2', isIncomplete: false });
  assert.ok(!assigned.describe(incomplete('1')).incomplete);
});

test('an assignment of a later order waits for it, and keeps what arrives meanwhile', () => {
  const assignments = new Assignments();
  assignments.put(assignment(3));
  assignments.putAside({ ...assignment(3, 'new', 't9'), revision: 2 });
  assert.equal(assignments.at(3).image, 'i3');
  assignments.of('t9').tile = {};
  assignments.move(2, 3, (slot) => ({ 3: 'new', 4: 'i3' })[slot]);
  assert.equal(assignments.at(3).image, 'new');
  assert.ok(assignments.at(3).tile);
  assert.equal(assignments.at(4).image, 'i3');
  assert.equal(assignments.of('t3').slot, 4);
});

test('in another order renditions stay with their images, and contradicted assignments are dropped', () => {
  const assignments = new Assignments();
  for (const slot of [1, 2, 3, 90]) assignments.put(assignment(slot));
  const order = { 2: 'x', 3: 'i1', 4: 'i2' };
  assignments.move(2, 3, (slot) => order[slot]);
  assert.equal(assignments.at(3).image, 'i1');
  assert.equal(assignments.at(4).image, 'i2');
  assert.equal(assignments.of('t3'), undefined, 'the third picture has moved');
  assert.equal(assignments.at(90).image, 'i90', 'nothing newer is known about that slot');
  assert.equal(assignments.at(90).revision, 1);
  assignments.clear();
  assert.equal(assignments.size, 0);
  assert.equal(assignments.of('t1'), undefined);
});

test('the number of waiting assignments is bounded', () => {
  const assignments = new Assignments();
  for (let slot = 0; slot < 3_000; slot += 1) assignments.putAside({ ...assignment(slot), revision: 5 });
  assert.equal(assignments.of('t0'), undefined);
  assert.ok(assignments.of('t2999'));
  assert.equal(assignments.size, 0);
});

test('an assignment of a newer order is used early if the displayed order has the same image in its slot', () => {
  const assignments = new Assignments();
  assignments.putAside({ ...assignment(3), revision: 2 });
  assignments.putAside({ ...assignment(4, 'other'), revision: 2 });
  assert.deepEqual(assignments.takeUp((slot) => `i${slot}`).map(({ slot }) => slot), [3]);
  assert.equal(assignments.at(3).token, 't3');
  assert.equal(assignments.at(4), undefined);
  assert.deepEqual(assignments.takeUp((slot) => `i${slot}`), []);
  assignments.move(2, 4, (slot) => (slot === 4 ? 'other' : undefined));
  assert.equal(assignments.at(4).image, 'other');
});

test("a new stream's assignment is not replaced by one that an earlier stream, with a higher revision, had put aside", () => {
  const assignments = new Assignments();
  assignments.putAside({ ...assignment(3, 'i3', 'before'), revision: 7 });
  assignments.put({ ...assignment(3, 'i3', 'now'), revision: 2 });
  assert.deepEqual(assignments.takeUp((slot) => `i${slot}`), []);
  assert.equal(assignments.at(3).token, 'now');
  assert.ok(assignments.of('now'));
  assert.equal(assignments.of('before'), undefined);
});

/** Pictures so heavy that two of them fit into the limit, and three do not. */
const heavy = () => ({ kind: 'full', blob: { size: 25 * 1_048_576 } });

const departures = {
  'has no slot in another order': (assignments) => assignments.move(2, 1, (slot) => ({ 1: 'x', 2: 'i2', 3: 'i3' })[slot]),
  'lost its slot to another image': (assignments) => assignments.put(assignment(1, 'x', 'tx')),
  'waited for an order and lost its slot there': (assignments) => {
    assignments.remove(1);
    assignments.putAside({ ...assignment(1, 'y', 'ty'), revision: 2 });
    assignments.of('ty').tile = heavy();
    assignments.putAside({ ...assignment(1, 'x', 'tx'), revision: 2 });
  },
};
for (const [name, depart] of Object.entries(departures)) {
  test(`a picture that ${name} no longer counts against the bytes of the others`, () => {
    const assignments = new Assignments();
    for (const slot of [1, 2, 3]) assignments.put(assignment(slot)).tile = heavy();
    depart(assignments);
    assignments.trim(2);
    assert.ok(assignments.at(2)?.tile && assignments.at(3)?.tile);
  });
}

test('renditions of a later order count against the byte limit, and displayed ones far away make room', () => {
  const assignments = new Assignments();
  for (const slot of [1, 2]) assignments.put(assignment(slot)).tile = heavy();
  assignments.putAside({ ...assignment(1, 'x', 'tx'), revision: 2 });
  assignments.of('tx').tile = heavy();
  assignments.trim(2);
  assert.ok(assignments.at(2)?.tile);
  assert.equal(assignments.at(1), undefined);
});
