import { importLater } from '../page/loading-later.js';
import { announceLater, takeBack } from '../page/announcer.js';
import { isFieldInvalid, showFieldProblem } from '../page/field-problem.js';
import { formatNumber } from '../page/numbers.js';
import { attachKey } from '../page/key-bindings.js';
import { find } from '../page/template.js';

/** How long after the last keystroke the number of results is announced. Milliseconds. */
const announcementDelay = 700;

/**
 * The search field: searches while the user types. Escape clears it, `/` focuses it from anywhere, Enter moves on to
 * the results. Errors of the search appear below it.
 */
export class Search {
  #finding;
  #pages;
  #grid;
  /** @type {HTMLInputElement} */
  #field = find('#search-field');
  #clear = find('#search-clear');
  #isScheduled = false;
  /**
   * What is below the field; loaded when it is first needed.
   * @type {Promise<unknown> | undefined}
   */
  #panel;

  /**
   * @param {{finding: import('./finding.js').Finding, pages: import('../catalog/pages.js').Pages,
   *   grid: import('../grid/grid.js').Grid}} parts
   */
  constructor({ finding, pages, grid }) {
    this.#finding = finding;
    this.#pages = pages;
    this.#grid = grid;
    this.#field.addEventListener('input', () => this.#typed());
    this.#field.addEventListener('compositionend', () => this.#typed());
    this.#field.addEventListener('focus', () => this.#makePanel());
    this.#field.addEventListener('blur', () => finding.endTyping());
    this.#field.addEventListener('keydown', (event) => this.#pressed(event));
    this.#clear.addEventListener('click', () => this.clear());
    find('#search').addEventListener('submit', (event) => {
      event.preventDefault();
      if (!isFieldInvalid(this.#field)) this.#leave();
    });
    attachKey('/', () => this.summon());
    finding.addEventListener('request', () => this.#follow());
    finding.addEventListener('displayed', () => this.#shown());
    finding.addEventListener('problem', (event) => this.#failed(/** @type {CustomEvent} */ (event).detail));
  }

  #makePanel() {
    this.#panel ??= importLater().then(
      ({ SearchPanel }) => new SearchPanel(this.#finding),
      // One can search without.
      () => (this.#panel = undefined),
    );
  }

  /** Ends the search and leaves the field ready for other words. */
  clear() {
    this.#field.value = '';
    this.#finding.endTyping();
    this.#finding.request(this.#finding.requested.with({ q: '' }));
    this.focus();
  }

  /** The user wants to search: the bar may have to be unfolded first. */
  summon() {
    this.#finding.dispatchEvent(new Event('summons'));
    this.focus();
  }

  focus() {
    this.#field.focus();
    this.#field.select();
  }

  /** Searches at most once a frame, and never during a composition. */
  #typed() {
    this.#clear.hidden = this.#field.value === '';
    // The answer to other words is not known yet.
    this.#field.removeAttribute('aria-invalid');
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#finding.request(this.#finding.requested.with({ q: this.#field.value }), { isTyped: true });
    });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    if (this.#field.value) this.clear();
    else this.#leave();
  }

  /** Moves the focus to the results. */
  #leave() {
    this.#finding.endTyping();
    if (this.#grid.total > 0) this.#grid.focus(this.#grid.active);
    else this.#field.blur();
  }

  /** The view may have been changed elsewhere. */
  #follow() {
    const { q } = this.#finding.requested;
    if (this.#field.value.trim() !== q) this.#field.value = q;
    this.#clear.hidden = this.#field.value === '';
    if (q.includes(':')) this.#makePanel();
    takeBack();
  }

  #shown() {
    showFieldProblem(this.#field, '');
    const { total = 0, view } = this.#pages;
    const count = total === 1 ? '1 picture' : `${formatNumber(total)} pictures`;
    const text = total === 0 && view.isNarrowed ? 'Nothing matches' : count;
    announceLater(text, announcementDelay);
  }

  /** @param {import('../catalog/problem.js').Problem} problem */
  #failed(problem) {
    if (problem.status === 0) this.#explainAbsence();
    // Other parts report that the server does not answer or is in trouble.
    if (problem.status === 0 || problem.status >= 500) return;
    // To the user the parameter `q` is "the search".
    const { field = '', detail } = problem;
    const isToldOfField = field !== '' && detail.startsWith(`${field} `);
    const text = isToldOfField ? `The ${nameOf(field)}${detail.slice(field.length)}` : problem.message;
    showFieldProblem(this.#field, text);
  }

  /** The server cannot be reached. */
  #explainAbsence() {
    if (!this.#finding.requested.q) return;
    const text = navigator.onLine
      ? 'The search will run when the server responds.'
      : 'You cannot search while offline.';
    showFieldProblem(this.#field, text, { isInvalid: false });
  }
}

/** @param {string} field */
function nameOf(field) {
  return { q: 'search', sort: 'order' }[field] ?? field;
}
