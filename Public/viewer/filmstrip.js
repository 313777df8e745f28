import { announce } from '../page/announcer.js';
import { formatNumber } from '../page/numbers.js';
import { readPreference, savePreference } from '../page/memory.js';
import { find } from '../page/template.js';
import { Still } from './still.js';

/** How many images on each side: the grid's images are in the document, too. */
const mostBeside = 10;
const preferenceName = 'filmstrip';

/** A row of small images below the current one: those before and after it. */
export class Filmstrip {
  #element = find('#filmstrip');
  #button = find('#viewer-filmstrip');
  #images;
  #loader;
  #onChoose;
  /** @type {Still[]} */
  #stills = [];
  #index = -1;
  #total = 0;
  /** Numbers the updates, so that late answers can be told apart. */
  #turn = 0;

  /**
   * @param {{images: Pick<import('../loading/transport.js').Transport, 'knownAt' | 'load'>,
   *   loader: import('../loading/token-loader.js').TokenLoader, onChoose: (index: number) => void}} parts
   */
  constructor({ images, loader, onChoose }) {
    this.#images = images;
    this.#loader = loader;
    this.#onChoose = onChoose;
    this.#button.addEventListener('click', () => this.toggle());
    this.#element.addEventListener('click', (event) => this.#clicked(event));
    new ResizeObserver(() => this.#lay()).observe(this.#element);
    this.#say(readPreference(preferenceName) === 'shown');
  }

  get isShown() {
    return !this.#element.hidden;
  }

  toggle() {
    const isShown = !this.isShown;
    savePreference(preferenceName, isShown ? 'shown' : 'hidden');
    this.#say(isShown);
    this.#lay();
    announce(isShown ? 'Filmstrip shown' : 'Filmstrip hidden');
  }

  /** @param {boolean} isShown */
  #say(isShown) {
    this.#element.hidden = !isShown;
    this.#button.setAttribute('aria-pressed', String(isShown));
  }

  /**
   * @param {number} index  Of the current image.
   * @param {number} total
   */
  show(index, total) {
    this.#index = index;
    this.#total = total;
    this.#lay();
  }

  empty() {
    // Discards late answers.
    this.#turn += 1;
    this.#index = -1;
    this.#release(this.#stills);
    this.#stills = [];
  }

  #lay() {
    this.#turn += 1;
    if (this.#index < 0) return;
    if (!this.isShown) {
      this.#release(this.#stills);
      this.#stills = [];
      return;
    }
    const pitch = Number.parseFloat(getComputedStyle(this.#element).getPropertyValue('--pitch')) || 60;
    const reach = Math.min(mostBeside, Math.ceil(this.#element.clientWidth / pitch / 2));
    const first = Math.max(0, this.#index - reach);
    const last = Math.min(this.#total - 1, this.#index + reach);
    const hadFocus = this.#element.contains(document.activeElement);
    const spare = this.#stills.filter(({ index }) => index < first || index > last);
    for (const { element } of spare) element.remove();
    const kept = new Map(this.#stills.filter((still) => !spare.includes(still)).map((still) => [still.index, still]));
    this.#stills = [];
    for (let index = first; index <= last; index += 1) {
      const still = kept.get(index) ?? spare.pop() ?? this.#make();
      this.#stills.push(still);
      still.place(index, index - this.#index, `picture ${formatNumber(index + 1)}`);
      this.#fill(still, index);
    }
    this.#release(spare);
    // In visual order. Elements that stay are not touched, so that they glide.
    this.#stills.forEach(({ element }, at) => {
      const there = this.#element.children[at] ?? null;
      if (there !== element) this.#element.insertBefore(element, there);
    });
    if (hadFocus) this.#stills.find(({ index }) => index === this.#index)?.element.focus({ preventScroll: true });
  }

  #make() {
    return new Still((still) => Math.abs(still.index - this.#index));
  }

  /**
   * @param {Still} still
   * @param {number} index
   */
  async #fill(still, index) {
    const turn = this.#turn;
    let image = this.#images.knownAt(index);
    if (!image) {
      // It displayed another image before.
      this.#loader.release(still);
      image = await this.#images.load(index).catch(() => undefined);
    }
    if (!image || turn !== this.#turn || still.image?.id === image.id) return;
    this.#loader.release(still);
    still.begin(index, image);
    this.#loader.request(still);
  }

  /** @param {Still[]} stills */
  #release(stills) {
    for (const still of stills) {
      this.#loader.release(still);
      still.element.remove();
    }
  }

  /** @param {Event} event */
  #clicked(event) {
    const chosen = this.#stills.find(({ element }) => element.contains(/** @type {Node} */ (event.target)));
    if (chosen) this.#onChoose(chosen.index);
  }
}
