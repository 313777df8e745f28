import { announceLater, takeBack } from '../page/announcer.js';
import { tellOfField } from '../page/field-problem.js';
import { formatNumber } from '../page/numbers.js';
import { attachKey } from '../page/pressed.js';
import { find } from '../page/template.js';

/**
 * The search field: finds as one types. Escape clears it, `/` leads to it from anywhere, Enter leads on to what was
 * found. What the server does not understand it says beneath.
 */
export class Search {
  /** So long nobody types before the number of pictures that were found is told. Milliseconds. */
  static #pause = 700;

  #finding;
  #pages;
  #grid;
  /** @type {HTMLInputElement} */
  #field = find('#search-field');
  #clear = find('#search-clear');
  #isScheduled = false;

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
    this.#field.addEventListener('blur', () => finding.endTyping());
    this.#field.addEventListener('keydown', (event) => this.#pressed(event));
    this.#clear.addEventListener('click', () => this.clear());
    find('#search').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#leave();
    });
    attachKey('/', () => this.summon());
    finding.addEventListener('wish', () => this.#follow());
    finding.addEventListener('shown', () => this.#shown());
    finding.addEventListener('problem', (event) => this.#failed(/** @type {CustomEvent} */ (event).detail));
  }

  /** Nothing is searched for any more, and the field is ready for other words. */
  clear() {
    this.#field.value = '';
    this.#finding.endTyping();
    this.#finding.wish(this.#finding.wished.with({ q: '' }));
    this.focus();
  }

  /** All pictures of the gallery again, in the order that they are in. */
  clearAll() {
    this.#field.value = '';
    this.#finding.endTyping();
    this.#finding.wish(this.#finding.wished.with({ q: '', folder: '' }));
    this.focus();
  }

  /** Somebody wants to search: the bar may have to be opened first. */
  summon() {
    this.#finding.dispatchEvent(new Event('summons'));
    this.focus();
  }

  focus() {
    this.#field.focus();
    this.#field.select();
  }

  /** A word is asked for once a frame at the most; half a character is no word. */
  #typed() {
    this.#clear.hidden = this.#field.value === '';
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#finding.wish(this.#finding.wished.with({ q: this.#field.value }), { isTyped: true });
    });
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    if (this.#field.value) this.clear();
    else this.#field.blur();
  }

  /** On to what was found. */
  #leave() {
    this.#finding.endTyping();
    if (this.#grid.total > 0) this.#grid.focus(this.#grid.active);
    else this.#field.blur();
  }

  /** The view may have been changed elsewhere. */
  #follow() {
    const { q } = this.#finding.wished;
    if (this.#field.value.trim() !== q) this.#field.value = q;
    this.#clear.hidden = this.#field.value === '';
    takeBack();
  }

  #shown() {
    tellOfField(this.#field, '');
    const { total = 0, view } = this.#pages;
    const count = total === 1 ? '1 picture' : `${formatNumber(total)} pictures`;
    const text = total === 0 && view.isNarrowed ? 'Nothing matches' : count;
    announceLater(text, Search.#pause);
  }

  /** @param {import('../catalog/problem.js').Problem} problem */
  #failed(problem) {
    // That nobody answers, or a server in trouble, is said elsewhere.
    if (problem.status === 0 || problem.status >= 500) return;
    // To people the parameter is the search.
    const { field = '', detail } = problem;
    const isToldOfField = field !== '' && detail.startsWith(`${field} `);
    const text = isToldOfField ? `The ${nameOf(field)}${detail.slice(field.length)}` : problem.message;
    tellOfField(this.#field, text);
  }
}

/** @param {string} field */
function nameOf(field) {
  return { q: 'search', sort: 'order' }[field] ?? field;
}
