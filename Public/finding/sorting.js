import { find } from '../page/template.js';

/** By what the pictures are sorted, and which way round. A shuffle has no way round: it is shuffled again. */
export class Sorting {
  /** What the first picture is, each way round. */
  /** @type {Record<string, string[]>} */
  static #ways = {
    path: ['In their own order', 'Their own order, from its end'],
    taken: ['Oldest first', 'Newest first'],
    name: ['A to Z', 'Z to A'],
    size: ['Smallest first', 'Largest first'],
    added: ['First added first', 'Last added first'],
    shuffle: ['Shuffle again', 'Shuffle again'],
  };
  /** Of what is sorted by time or size, people look for the newest and the largest. */
  static #descending = new Set(['taken', 'size', 'added']);

  #finding;
  /** @type {HTMLSelectElement} */
  #select = find('#sort');
  #direction = find('#direction');

  /** @param {import('./finding.js').Finding} finding */
  constructor(finding) {
    this.#finding = finding;
    this.#select.addEventListener('change', () => this.#chosen());
    this.#direction.addEventListener('click', () => this.#turned());
    finding.addEventListener('wish', () => this.#follow());
    this.#follow();
  }

  #chosen() {
    const sort = this.#select.value;
    const direction = Sorting.#descending.has(sort) ? 'desc' : 'asc';
    this.#finding.wish(this.#finding.wished.with({ sort, direction, seed: newSeed() }));
  }

  #turned() {
    const { wished } = this.#finding;
    const direction = wished.direction === 'asc' ? 'desc' : 'asc';
    this.#finding.wish(wished.with({ direction, seed: newSeed() }));
  }

  #follow() {
    const { sort, direction } = this.#finding.wished;
    this.#select.value = sort;
    this.#direction.dataset.way = sort === 'shuffle' ? 'shuffle' : direction;
    const ways = Sorting.#ways[sort];
    const text = ways[direction === 'asc' ? 0 : 1];
    this.#direction.setAttribute('aria-label', text);
    this.#direction.title = text;
  }
}

function newSeed() {
  return 1 + Math.floor(Math.random() * 0xffff);
}
