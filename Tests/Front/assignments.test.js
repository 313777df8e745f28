import assert from 'node:assert/strict';
import { test } from 'node:test';

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

test('what has come of a picture stays when only its token is another', () => {
  const assignments = new Assignments();
  const preview = {};
  assignments.put(assignment(3)).preview = preview;
  assert.equal(assignments.put(assignment(3, 'i3', 'new')).preview, preview);
  assert.equal(assignments.put(assignment(3, 'other', 'newer')).preview, null);
});

test('the slots far from the screen go first, with what has come of them', () => {
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

test('an image is described by its page, with the links of the version that is here', () => {
  const assignments = new Assignments();
  const standing = assignments.put(assignment(3));
  const page = { id: 'i3', index: 3, name: '3.jpg', width: 10, links: { tile: '/images/i3/tile' } };
  const described = standing.describe(page);
  assert.equal(described.width, 10);
  assert.equal(described.links.tile, '/images/i3/tile?v=1');
  assert.equal(standing.describe(page), described);
  standing.learn({ version: '2', isIncomplete: false });
  assert.equal(standing.describe(page).links.tile, '/images/i3/tile?v=2');
});

test('that a picture is incomplete is learnt with what comes, and stays known of that content alone', () => {
  const assignments = new Assignments();
  const page = { id: 'i3', index: 3, name: '3.jpg', links: { tile: '/images/i3/tile?v=1' } };
  const standing = assignments.put(assignment(3));
  assert.ok(!standing.describe(page).incomplete);
  standing.learn({ version: '1', isIncomplete: true });
  assert.ok(standing.describe(page).incomplete);
  // A preview made of less than the whole file, or a page from before, know nothing of it.
  standing.learn({ version: '1', isIncomplete: false });
  assert.ok(standing.describe({ ...page }).incomplete);
  assert.ok(assignments.put(assignment(3, 'i3', 'new')).describe(page).incomplete);
  assert.ok(!assignments.put(assignment(3, 'i3', 'newer', '2')).describe(page).incomplete);
  standing.learn({ version: '2', isIncomplete: false });
  assert.ok(!standing.describe({ ...page }).incomplete);
});

test('what a page says of another content is not said of this one', () => {
  const incomplete = (version) =>
    ({ id: 'i3', index: 3, name: '3.jpg', incomplete: true, links: { tile: `/images/i3/tile?v=${version}` } });
  const standing = new Assignments().put(assignment(3));
  assert.ok(!standing.describe(incomplete('0')).incomplete);
  assert.ok(standing.describe(incomplete('1')).incomplete);
  standing.learn({ version: '2', isIncomplete: false });
  assert.ok(!standing.describe(incomplete('1')).incomplete);
});

test('what is of an order to come waits for it, with what was sent for it', () => {
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

test('in another order what has come stays with its picture, and what the order contradicts goes', () => {
  const assignments = new Assignments();
  for (const slot of [1, 2, 3, 90]) assignments.put(assignment(slot));
  const order = { 2: 'x', 3: 'i1', 4: 'i2' };
  assignments.move(2, 3, (slot) => order[slot]);
  assert.equal(assignments.at(3).image, 'i1');
  assert.equal(assignments.at(4).image, 'i2');
  assert.equal(assignments.of('t3'), undefined, 'the third picture is not where it was');
  assert.equal(assignments.at(90).image, 'i90', 'of that slot nothing else is known');
  assert.equal(assignments.at(90).revision, 1);
  assignments.clear();
  assert.equal(assignments.size, 0);
  assert.equal(assignments.of('t1'), undefined);
});

test('what waits for orders to come is bounded', () => {
  const assignments = new Assignments();
  for (let slot = 0; slot < 3_000; slot += 1) assignments.putAside({ ...assignment(slot), revision: 5 });
  assert.equal(assignments.of('t0'), undefined);
  assert.ok(assignments.of('t2999'));
  assert.equal(assignments.size, 0);
});

test('what is put aside for a newer order is taken up where the one that is shown has the same picture', () => {
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

test('what a stream assigns now is not taken back for what an earlier one, which counted further, had put aside', () => {
  const assignments = new Assignments();
  assignments.putAside({ ...assignment(3, 'i3', 'before'), revision: 7 });
  assignments.put({ ...assignment(3, 'i3', 'now'), revision: 2 });
  assert.deepEqual(assignments.takeUp((slot) => `i${slot}`), []);
  assert.equal(assignments.at(3).token, 'now');
  assert.ok(assignments.of('now'));
  assert.equal(assignments.of('before'), undefined);
});
