import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hasEntered, refusalText } from '../../Public/account/provider.js';
import { returnPlace } from '../../Public/account/return.js';

test('the page says why a sign-in has failed, in its own words alone', () => {
  assert.match(refusalText({ hash: '#refused=expired' }), /expired/);
  assert.match(refusalText({ hash: '#refused=last-owner' }), /last owner/);
  for (const hash of ['', '#', '#refused=', '#refused=constructor', '#refused=Buy%20now', '#from=?q=refused', '#refused=expired&x']) {
    assert.equal(refusalText({ hash }), '', hash);
  }
});

test('a sign-in leads back to a place of the gallery alone', () => {
  assert.equal(returnPlace({ hash: '#from=?folder=trip#at=2' }), '?folder=trip#at=2');
  assert.equal(returnPlace({ hash: '#entered=#at=2' }), '#at=2');
  for (const hash of ['', '#entered=', '#from=//evil.example', '#entered=https://evil.example', '#entered=/x', '#x=?q']) {
    assert.equal(returnPlace({ hash }), '', hash);
  }
  assert.ok(hasEntered({ hash: '#entered=' }) && !hasEntered({ hash: '#from=' }) && !hasEntered({ hash: '' }));
});
