import assert from 'node:assert/strict';
import { test } from 'node:test';

import { View } from '../../Public/catalog/view.js';
import './server-tables.js';

test('the default view has no text', () => {
  assert.equal(new View().text, '');
  assert.ok(View.read('').isPlain);
  assert.ok(View.read(undefined).isPlain);
  assert.ok(View.read('?sort=path&direction=asc').isPlain);
});

test('a view has one canonical text, whatever the order of its parameters', () => {
  const texts = [
    'direction=desc&sort=taken&q=%20sea+sky', '?utm=1&q=sea%20sky&sort=taken&direction=desc',
    'sort=taken&q=sea+sky&direction=desc&seed=4',
  ];
  for (const text of texts) assert.equal(View.read(text).text, 'q=sea%20sky&sort=taken&direction=desc');
});

test("a view's text round-trips", () => {
  const views = [
    { q: 'a&b=c +d "é ☀"', folder: '2019/06 x' }, { sort: 'path', direction: 'desc' }, { sort: 'shuffle', seed: 7 },
    { sort: 'size' }, { folder: '2019' },
  ];
  for (const wished of views) {
    const view = new View(wished);
    assert.notEqual(view.text, '');
    assert.ok(View.read(view.text).equals(view), view.text);
    assert.deepEqual({ ...View.read(view.text) }, { ...view });
  }
});

test('a view is encoded as by the server', () => {
  assert.equal(new View({ q: "it's (a) *~,b:c/d&e%é" }).text, 'q=it%27s%20%28a%29%20%2A~,b:c/d%26e%25%C3%A9');
});

test('unknown parameters are ignored', () => {
  assert.equal(View.read('sort=colour&direction=up&seed=-1').text, '');
  assert.equal(new View({ sort: 'shuffle', direction: 'desc', seed: 1.5 }).text, 'sort=shuffle&seed=0');
  assert.equal(new View({ direction: 'desc' }).text, 'direction=desc');
  assert.equal(new View({ sort: 'name', seed: 3 }).text, 'sort=name');
});

test('a change makes another view and leaves the original unchanged', () => {
  const view = View.read('q=sea&sort=taken&direction=desc');
  assert.equal(view.with({ q: '' }).text, 'sort=taken&direction=desc');
  assert.equal(view.with({ sort: 'path', direction: 'asc' }).text, 'q=sea');
  assert.equal(view.text, 'q=sea&sort=taken&direction=desc');
});
