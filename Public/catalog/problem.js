/** A problem reported by the server: application/problem+json (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status  The HTTP status, or 0 when the problem was found on this side.
   * @param {string} title   A few words for people.
   * @param {string} [detail]  A sentence for people.
   * @param {number} [retryAfter]  Seconds after which trying again makes sense.
   * @param {string} [field]  The invalid parameter or member.
   */
  constructor(status, title, detail = '', retryAfter = undefined, field = undefined) {
    super(detail || title);
    this.name = 'Problem';
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.retryAfter = retryAfter;
    this.field = field;
  }

  /** The server no longer knows the session, token or image. */
  get isGone() {
    return this.status === 404 || this.status === 410;
  }

  /** The server asks the client to wait; it does not refuse. */
  get isBusy() {
    return this.status === 429 || this.status === 503;
  }

  /** The file itself cannot be shown (too large, no picture, damaged): only another file would help. */
  get isOfFile() {
    return this.status === 413 || this.status === 415 || this.status === 422;
  }

  /** A retry would get the same answer. */
  get isRefusal() {
    return this.status >= 400 && this.status < 500 && !this.isBusy;
  }

  /**
   * @param {Response} response  An error response. Its body is read.
   * @returns {Promise<Problem>}
   */
  static async from(response) {
    const { title, detail, field } = await readMembers(response);
    return new Problem(response.status, title ?? fallbackTitle(response.status), detail, secondsToWait(response), field);
  }
}

/**
 * A truncated body, or one that is not JSON, loses the text but never the status.
 * @param {Response} response
 * @returns {Promise<{title?: string, detail?: string, field?: string}>}
 */
async function readMembers(response) {
  try {
    const members = await response.json();
    return { title: textOf(members?.title), detail: textOf(members?.detail), field: textOf(members?.field) };
  } catch {
    return {};
  }
}

/** @param {unknown} value */
function textOf(value) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** @param {number} status */
function fallbackTitle(status) {
  return status >= 500 ? 'The server could not respond' : 'The server refused the request';
}

/**
 * The seconds form of Retry-After (RFC 9110 §10.2.3); the gallery's server does not use the date form.
 * @param {Response} response
 */
function secondsToWait(response) {
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
