import { serverTables } from '../../catalog/server-tables.js';

/**
 * Parses a binary message of the stream.
 *
 * @typedef {string} Kind  A rendition that the stream sends.
 * @typedef {{token: string, kind: Kind, isProblem: boolean, type: string, endsToken: boolean, isIncomplete: boolean,
 *   isPart: boolean, isContinued: boolean, version: string | null, body: ArrayBuffer}} Rendition `version` and `token`
 *   as text, as in JSON; `type` is a media type, or empty if unknown; `isIncomplete`: the file is truncated; `isPart`:
 *   more of the body follows; `isContinued`: it continues the previous message of the same token and kind.
 */

const headLength = 28;

/**
 * @param {ArrayBuffer} message
 * @returns {Rendition | null}  Null for what a newer server may send and this page does not know.
 */
export function readRendition(message) {
  if (message.byteLength < headLength) return null;
  const head = new DataView(message, 0, headLength);
  const kind = serverTables.sent[head.getUint8(16)];
  const status = head.getUint8(17);
  const flags = head.getUint8(19);
  if (!kind || status > 1) return null;
  return {
    token: writeToken(new Uint8Array(message, 0, 16)),
    kind,
    isProblem: status === 1,
    type: serverTables.types[head.getUint8(18)] ?? '',
    endsToken: (flags & 1) !== 0,
    isIncomplete: (flags & 4) !== 0,
    isPart: (flags & 8) !== 0,
    isContinued: (flags & 16) !== 0,
    version: writeVersion(head.getUint32(20), head.getUint32(24)),
    body: message.slice(headLength),
  };
}

/**
 * 128 bits as 22 characters of base64url (RFC 4648 §5).
 * @param {Uint8Array} bytes
 */
function writeToken(bytes) {
  return btoa(String.fromCharCode(...bytes)).slice(0, 22).replaceAll('+', '-').replaceAll('/', '_');
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * 64 bits as 13 characters of Crockford's base 32; null for 0, which means none.
 * @param {number} high
 * @param {number} low
 */
function writeVersion(high, low) {
  if (high === 0 && low === 0) return null;
  let text = '';
  // From the end: six characters are the low 30 bits; the seventh has two bits of the low word and three of the high
  // one.
  for (let shift = 0; shift < 30; shift += 5) text = alphabet[(low >>> shift) & 31] + text;
  text = alphabet[(low >>> 30) | ((high & 7) << 2)] + text;
  for (let shift = 3; shift < 32; shift += 5) text = alphabet[(high >>> shift) & 31] + text;
  return text;
}
