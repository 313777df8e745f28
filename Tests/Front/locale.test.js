import assert from 'node:assert/strict';
import test from 'node:test';
import { localeFor } from '../../Public/page/locale.js';

const day = new Date('2019-06-14T18:05:00Z');
const dateIn = (language) =>
  new Intl.DateTimeFormat(localeFor(language), { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(day);

test("dates are English, in the manner of the user's region", () => {
  assert.match(dateIn('en-US'), /^June 14, 2019.*6:05.PM$/);
  assert.match(dateIn('en'), /^June 14, 2019/);
  for (const language of ['en-GB', 'de', 'de-AT', 'fr', 'pl', 'pt-BR', 'ru', 'zh-CN', 'es-419']) {
    assert.match(dateIn(language), /^14 June 2019.*18:05$/, language);
  }
  assert.match(dateIn('en-AU'), /^14 June 2019.*6:05.pm$/);
});

test('a language that is no tag leads to plain English', () => {
  assert.equal(localeFor('C'), 'en');
  assert.equal(localeFor(''), 'en');
});
