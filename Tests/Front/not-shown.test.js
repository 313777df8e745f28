import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textOf } from '../../Public/page/not-shown.js';

test('the files that are not shown are counted by kind', () => {
  assert.equal(textOf({ count: 0, kinds: [] }), '');
  assert.equal(textOf({ count: 1, kinds: [{ kind: 'bmp', title: 'BMP', count: 1 }] }), '1 file is not shown: BMP (1)');
  const kinds = [{ kind: 'raw', title: 'RAW', count: 1200 }, { kind: 'video', title: 'video', count: 3 }];
  assert.equal(textOf({ count: 1203, kinds }), '1,203 files are not shown: RAW (1,200), video (3)');
});
