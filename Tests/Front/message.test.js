import assert from 'node:assert/strict';
import { test } from 'node:test';

import './server-tables.js';
import { readRendition } from '../../Public/stream/worker/message.js';

function message({ token = 0n, kind = 1, status = 0, format = 1, flags = 0, version = 0n, body = [] }) {
  const bytes = new Uint8Array(28 + body.length);
  const head = new DataView(bytes.buffer);
  head.setBigUint64(0, token >> 64n);
  head.setBigUint64(8, token & 0xffff_ffff_ffff_ffffn);
  bytes.set([kind, status, format, flags], 16);
  head.setBigUint64(20, version);
  bytes.set(body, 28);
  return bytes.buffer;
}

test('a message is parsed', () => {
  const read = readRendition(message({ kind: 2, format: 2, flags: 1, version: 1n, body: [7, 8] }));
  const { body, ...rest } = read;
  assert.deepEqual(rest, {
    token: 'AAAAAAAAAAAAAAAAAAAAAA', kind: 'tile', isProblem: false, type: 'image/webp', endsToken: true,
    isIncomplete: false, isPart: false, isContinued: false, version: '0000000000001',
  });
  assert.deepEqual([...new Uint8Array(body)], [7, 8]);
});

test('parts of a message are marked', () => {
  const read = (flags) => readRendition(message({ kind: 6, flags, body: [7] }));
  assert.deepEqual([read(8), read(24), read(17)].map(({ isPart, isContinued, endsToken }) => [isPart, isContinued, endsToken]),
    [[true, false, false], [true, true, false], [false, true, true]]);
});

test('tokens and versions have the same text as in JSON', () => {
  // By the server's own spelling: base64url, and Crockford's base 32.
  const token = 0x24f16d7a82c86b42a5aa4a87c6f07d2bn;
  const written = Buffer.from(token.toString(16).padStart(32, '0'), 'hex').toString('base64url');
  assert.equal(readRendition(message({ token })).token, written);
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  for (const version of [1n, 31n, 32n, 0xffff_ffffn, 0x1_0000_0000n, 0x8000_0000_0000_0000n, 0xffff_ffff_ffff_ffffn,
    0x0123_4567_89ab_cdefn, 0xfedc_ba98_7654_3210n]) {
    let expected = '';
    for (let shift = 60n; shift >= 0n; shift -= 5n) expected += alphabet[Number((version >> shift) & 31n)];
    assert.equal(readRendition(message({ version })).version, expected);
  }
});

test('a missing version is null, and an unknown format has no media type', () => {
  const read = readRendition(message({ format: 200 }));
  assert.equal(read.version, null);
  assert.equal(read.type, '');
});

test('each flag is a separate bit, and unknown bits are ignored', () => {
  for (const [flags, endsToken, isIncomplete] of [
    [0, false, false], [1, true, false], [2, false, false], [4, false, true], [5, true, true], [0xfa, false, false],
    [0xff, true, true],
  ]) {
    const read = readRendition(message({ flags }));
    assert.deepEqual([read.endsToken, read.isIncomplete], [endsToken, isIncomplete], `flags ${flags}`);
  }
});

test('a problem is recognised', () => {
  assert.equal(readRendition(message({ status: 1 })).isProblem, true);
});

test('an unknown rendition is ignored', () => {
  assert.equal(readRendition(new ArrayBuffer(27)), null);
  assert.equal(readRendition(message({ kind: 7 })), null);
  assert.equal(readRendition(message({ kind: 0 })), null);
  assert.equal(readRendition(message({ status: 2 })), null);
});
