import { Problem } from '../catalog/problem.js';
import { commit } from '../loading/commit.js';
import { decode } from '../loading/decode.js';
import { pixelsOf } from '../loading/sizes.js';
import { PictureChoice } from './choice.js';
import { isReady } from './preview.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('./assignments.js').SlotAssignment} SlotAssignment
 * @typedef {import('./worker/message.js').Kind} Kind
 */

/** Fills a slot with what has arrived of its image, finer and finer, by way of `commit`. */
export class SlotFiller {
  #choice;
  #assignmentAt;
  #isHeldBack;
  #isKeptWaiting;
  #onEnd;
  #onUnfit;
  /**
   * The slots whose picture is being decoded, with the number of their display.
   * @type {WeakMap<Slot, number>}
   */
  #decoding = new WeakMap();

  /**
   * @param {{cache: import('../loading/cache.js').PictureCache, assignmentAt: (slot: number) => SlotAssignment |
   *   undefined, isHeldBack: () => boolean, isKeptWaiting: (token: string) => boolean, onEnd: () => void, onUnfit:
   *   (image: string, version: string, kind: Kind) => void}} parts  `isHeldBack`: what is not decoded now will be
   *   requested again. `onEnd` is called when a slot may be complete, with its picture or a problem. `onUnfit`: the
   *   browser could not decode the rendition.
   */
  constructor({ cache, assignmentAt, isHeldBack, isKeptWaiting, onEnd, onUnfit }) {
    this.#choice = new PictureChoice(cache);
    this.#assignmentAt = assignmentAt;
    this.#isHeldBack = isHeldBack;
    this.#isKeptWaiting = isKeptWaiting;
    this.#onEnd = onEnd;
    this.#onUnfit = onUnfit;
  }

  /**
   * Gives the slot everything that has arrived.
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  bring(slot, assigned) {
    const { token, image, preview, problem } = assigned;
    if (slot.image?.id !== image) return;
    slot.token = token;
    slot.phase = 'waiting';
    slot.waitForOrigin(this.#isKeptWaiting(token));
    if (preview && isReady(preview)) commit(slot, token, { preview, image });
    if (problem) commit(slot, token, { problem, image });
    else this.bringTile(slot, assigned);
  }

  /**
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  async bringTile(slot, assigned) {
    const { display } = slot;
    const { token, image, version } = assigned;
    if (this.#isHeldBack() || slot.token !== token || this.#decoding.get(slot) === display) return;
    const best = this.#choice.bestOf(slot, assigned);
    if (!best || pixelsOf(best.kind) <= slot.pixels) {
      this.#finish(slot, assigned);
      return;
    }
    let isShown = false;
    if (slot.phase !== 'displayed') slot.phase = 'decoding';
    this.#decoding.set(slot, display);
    try {
      const element = await decode(best.picture);
      isShown = commit(slot, token, { picture: best.picture, element, image, pixels: pixelsOf(best.kind) });
    } catch {
      this.#choice.reject(assigned, best);
      if (version) this.#onUnfit(image, version, best.kind);
      const problem = new Problem(0, 'This browser cannot show this picture');
      if (slot.pixels === 0) commit(slot, token, { problem, image });
    }
    this.#onEnd();
    if (this.#decoding.get(slot) !== display) return;
    this.#decoding.delete(slot);
    // Something finer may have arrived meanwhile, or the slot may have another token.
    const now = this.#assignmentAt(slot.number);
    if (now && (isShown || slot.token !== token)) this.bringTile(slot, now);
  }

  /**
   * @param {Slot} slot
   * @param {SlotAssignment} assigned
   */
  #finish(slot, assigned) {
    if (slot.phase !== 'displayed' || slot.token !== assigned.token) return;
    if (this.#choice.isAll(slot, assigned)) slot.finish();
  }
}
