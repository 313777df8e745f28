/** @typedef {import('./message.js').Rendition} Rendition */

const most = 128;

/**
 * Assembles bodies that arrive in several messages, among which others may arrive. A body that is never completed is
 * not announced as such, so only a limited number is kept. Pure.
 */
export class Parts {
  /**
   * The oldest first.
   * @type {Map<string, ArrayBuffer[]>}
   */
  #begun = new Map();

  /**
   * @param {Pick<Rendition, 'token' | 'kind' | 'body' | 'isPart' | 'isContinued'>} rendition
   * @returns {ArrayBuffer | null | undefined}  The complete body; null while more is to come; undefined if its
   *   beginning is missing.
   */
  add({ token, kind, body, isPart, isContinued }) {
    const key = `${token} ${kind}`;
    const before = isContinued ? this.#begun.get(key) : [];
    this.#begun.delete(key);
    // Without the beginning the rest is useless.
    if (!before) return isPart ? null : undefined;
    if (!isPart) return before.length === 0 ? body : joined([...before, body]);
    this.#begun.set(key, [...before, body]);
    const [oldest] = this.#begun.keys();
    if (this.#begun.size > most) this.#begun.delete(oldest);
    return null;
  }
}

/** @param {ArrayBuffer[]} parts */
function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return whole.buffer;
}
