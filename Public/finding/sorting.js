import { Address } from '../page/address.js';
import { RememberedOrder } from '../page/remembered-order.js';
import { find } from '../page/template.js';

/**
 * The sort order and its direction. A shuffle has no direction: the button shuffles again. The server puts the orders
 * into the menu.
 */
export class Sorting {
  #finding;
  /** @type {HTMLSelectElement} */
  #select = find('#sort');
  #direction = find('#direction');

  /** @param {import('./finding.js').Finding} finding */
  constructor(finding) {
    this.#finding = finding;
    this.#select.addEventListener('change', () => this.#chosen());
    this.#direction.addEventListener('click', () => this.#turned());
    finding.addEventListener('request', () => this.#follow());
    this.#follow();
  }

  #chosen() {
    const requested = this.#finding.requested.with({ sort: this.#select.value, seed: newSeed() });
    this.#request(requested.with({ direction: requested.order.beginsDescending ? 'desc' : 'asc' }));
  }

  #turned() {
    const { requested } = this.#finding;
    const direction = requested.direction === 'asc' ? 'desc' : 'asc';
    this.#request(requested.with({ direction, seed: newSeed() }));
  }

  /** @param {import('../catalog/view.js').View} view */
  #request(view) {
    RememberedOrder.keep(view);
    Address.nameView(this.#finding.requested);
    this.#finding.request(view);
  }

  #follow() {
    const { order, direction } = this.#finding.requested;
    this.#select.value = order.name;
    this.#direction.dataset.way = order.isRandom ? 'shuffle' : direction;
    const text = direction === 'asc' ? order.ascending : order.descending;
    this.#direction.setAttribute('aria-label', text);
    this.#direction.title = text;
  }
}

function newSeed() {
  return 1 + Math.floor(Math.random() * 0xffff);
}
