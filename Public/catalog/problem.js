/** What the server says went wrong: application/problem+json (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status  The HTTP status, or 0 when the problem was found on this side.
   * @param {string} title   A few words for people.
   * @param {string} [detail]  A sentence for people.
   * @param {number} [retryAfter]  Seconds after which trying again makes sense.
   * @param {string} [field]  The parameter or member that is not as it should be.
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

  /** The server no longer knows what it was asked about: a session, a token, an image. */
  get isGone() {
    return this.status === 404 || this.status === 410;
  }

  /** The server asks for patience rather than refusing. */
  get isBusy() {
    return this.status === 429 || this.status === 503;
  }

  /** Asking again would be answered alike. */
  get isRefusal() {
    return this.status >= 400 && this.status < 500 && !this.isBusy;
  }

  /**
   * @param {Response} response  One that is not a success. Its body is read.
   * @returns {Promise<Problem>}
   */
  static async from(response) {
    const { title, detail, field } = await readMembers(response);
    return new Problem(response.status, title ?? fallbackTitle(response.status), detail, retryAfter(response), field);
  }
}

/**
 * A body that is cut short or is not JSON costs the words, never the status.
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
  return status >= 500 ? 'The server could not answer' : 'The server refused';
}

/**
 * The seconds form of Retry-After (RFC 9110 §10.2.3); the date form is not used by the gallery's server.
 * @param {Response} response
 */
function retryAfter(response) {
  const seconds = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
