import { Problem } from '../../catalog/problem.js';
import { lengthOfIndex, readIndex } from './tile-index.js';

/** The file was replaced while it was being read: its index is no longer valid (RFC 9110 §15.5.13). */
const changed = 412;

/** Contains the head and the index for an image of 700 megapixels. Bytes. */
const firstReadLength = 32_768;
/**
 * The server makes the pyramid on the first request, and says so if that takes too long; a client that hangs up
 * earlier would have to start again. Milliseconds.
 */
const makingTimeout = 300_000;
/** The time limit for a read once the pyramid exists. Milliseconds. */
const readTimeout = 60_000;

/** A pyramid on the server, read by ranges only. */
export class PyramidFile {
  #link;
  /** @type {string | null} */
  #tag = null;
  #size = 0;

  /** @param {string} link */
  constructor(link) {
    this.#link = link;
  }

  /**
   * @param {AbortSignal} signal
   * @returns {Promise<import('./tile-index.js').TileIndex>}  Rejects with a problem, or where the file is no pyramid.
   */
  async index(signal) {
    const first = await this.#ask(0, firstReadLength, signal);
    let bytes = await first.arrayBuffer();
    const length = lengthOfIndex(bytes);
    if (length > bytes.byteLength && length <= this.#size) {
      const rest = await this.read(bytes.byteLength, length - bytes.byteLength, signal);
      bytes = await new Blob([bytes, rest]).arrayBuffer();
    }
    return readIndex(bytes, this.#size);
  }

  /**
   * @param {number} from
   * @param {number} length  Bytes, all of which exist in the file.
   * @param {AbortSignal} signal
   * @returns {Promise<Blob>}  Rejects with a problem; its status is 0 if there was no complete response.
   */
  async read(from, length, signal) {
    const piece = await this.#ask(from, length, signal);
    if (piece.size !== length) throw new Problem(0, 'The answer broke off');
    return piece;
  }

  /** @param {unknown} problem  Why a read failed. */
  static isChange(problem) {
    return problem instanceof Problem && problem.status === changed;
  }

  /**
   * @param {number} from
   * @param {number} length
   * @param {AbortSignal} signal
   */
  async #ask(from, length, signal) {
    const abort = new AbortController();
    const stop = () => abort.abort();
    const isMade = this.#size > 0;
    let isLate = false;
    const timer = setTimeout(
      () => {
        isLate = true;
        stop();
      },
      isMade ? readTimeout : makingTimeout,
    );
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      // Unconditional: browsers do not cache responses to conditional requests (Fetch §4.6).
      const response = await fetch(this.#link, {
        headers: { Range: `bytes=${from}-${from + length - 1}` },
        signal: abort.signal,
      });
      if (!response.ok) throw await Problem.from(response);
      this.#check(response, from);
      return await response.blob();
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw isLate && !isMade
        ? new Problem(504, 'The tiles were not made in time')
        : new Problem(0, 'The connection was lost');
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // Aborts a response that is of no use.
      stop();
    }
  }

  /**
   * @param {Response} response
   * @param {number} from
   */
  #check(response, from) {
    const [, start, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? [];
    // A server that ignores ranges would send a hundred megabytes for each tile.
    if (response.status !== 206 || Number(start) !== from) throw new Problem(416, 'The server sends no pieces');
    const tag = response.headers.get('ETag');
    const isOther = this.#size > 0 && (tag !== this.#tag || Number(size) !== this.#size);
    if (isOther) throw new Problem(changed, 'The file changed');
    this.#tag = tag;
    this.#size = Number(size);
  }
}
