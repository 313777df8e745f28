import { cloneTemplate, find } from '../page/template.js';
import { nameOfFolder } from './breadcrumbs.js';
import { hintOf, searchTerms, withTerm } from './search-terms.js';

/**
 * What is below the search field while the user is searching: the folder that the search is limited to, what can be
 * asked for, and a hint about the term being typed. The choices are one stop in the tab order; arrow keys move in it.
 */
export class SearchPanel {
  #finding;
  /** @type {HTMLInputElement} */
  #field = find('#search-field');
  #choices = find('#search-choices');
  #hint = find('#search-hint');
  #folder = cloneTemplate('search-folder-template');

  /** @param {import('./finding.js').Finding} finding */
  constructor(finding) {
    this.#finding = finding;
    this.#choices.replaceChildren(this.#folder, ...searchTerms.map((term) => this.#makeChoice(term)));
    // The field keeps the focus, and on phones the keyboard.
    this.#choices.addEventListener('pointerdown', (event) => event.preventDefault());
    this.#choices.addEventListener('keydown', (event) => this.#moved(event));
    this.#field.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown' || event.isComposing) return;
      event.preventDefault();
      this.#choices.removeAttribute('data-in-word');
      this.#focus(0);
    });
    this.#folder.addEventListener('click', () => {
      this.#field.focus();
      finding.request(finding.requested.with({ folder: '' }));
    });
    for (const change of ['input', 'keyup', 'click', 'focus']) {
      this.#field.addEventListener(change, () => this.#showHint());
    }
    finding.addEventListener('request', () => this.#follow());
    this.#follow();
  }

  /** @param {import('./search-terms.js').SearchTerm} term */
  #makeChoice(term) {
    const choice = cloneTemplate('search-choice-template');
    choice.textContent = term.label;
    choice.title = `For example, ${term.example}`;
    choice.addEventListener('click', () => this.#insert(term));
    return choice;
  }

  /** @param {import('./search-terms.js').SearchTerm} term */
  #insert(term) {
    const { value, selectionStart, selectionEnd } = this.#field;
    const end = selectionEnd ?? value.length;
    const { text, caret } = withTerm(term, { text: value, start: selectionStart ?? end, end });
    this.#field.value = text;
    this.#field.focus();
    this.#field.setSelectionRange(caret, caret);
    this.#field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  #follow() {
    const { folder } = this.#finding.requested;
    const name = nameOfFolder(folder);
    this.#folder.hidden = folder === '';
    find('span', this.#folder).textContent = `in ${name}`;
    this.#folder.setAttribute('aria-label', `Only in ${name}: search everywhere`);
    this.#stop(this.#shown[0]);
    this.#showHint();
  }

  #showHint() {
    const { value, selectionEnd } = this.#field;
    const isInWord = /\S$/.test(value.slice(0, selectionEnd ?? value.length));
    this.#choices.toggleAttribute('data-in-word', isInWord && !this.#choices.contains(document.activeElement));
    const hint = hintOf(value, selectionEnd ?? value.length);
    if (hint === this.#hint.textContent) return;
    this.#hint.textContent = hint;
    this.#hint.hidden = hint === '';
  }

  get #shown() {
    const all = /** @type {HTMLElement[]} */ ([...this.#choices.children]);
    return all.filter(({ hidden }) => !hidden);
  }

  /** @param {KeyboardEvent} event */
  #moved(event) {
    const shown = this.#shown;
    const at = shown.findIndex((choice) => choice === document.activeElement);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (event.key === 'Escape' || to === -1) this.#field.focus();
    else if (to === undefined) return;
    else this.#focus(Math.min(to, shown.length - 1));
    event.preventDefault();
  }

  /** @param {number} at */
  #focus(at) {
    this.#stop(this.#shown[at]);
    this.#shown[at].focus();
  }

  /** @param {HTMLElement} choice  The one in the tab order. */
  #stop(choice) {
    for (const each of this.#shown) each.tabIndex = each === choice ? 0 : -1;
  }
}
