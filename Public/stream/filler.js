import { Problem } from '../catalog/problem.js';
import { commit } from '../loading/commit.js';
import { decode } from '../loading/decode.js';
import { pixelsOf } from '../loading/sizes.js';
import { PictureChoice } from './choice.js';
import { isReady } from './preview.js';

/**
 * @typedef {import('../loading/slot.js').Slot} Slot
 * @typedef {import('./assignments.js').Standing} Standing
 * @typedef {import('./worker/message.js').Kind} Kind
 */

/** Brings what has come of a picture into a slot that shows it, finer and finer, through the door of `commit`. */
export class SlotFiller {
  #choice;
  #standingAt;
  #isHeldBack;
  #isKeptWaiting;
  #onEnd;
  #onUnfit;
  /**
   * Slots whose picture is being decoded, and for which showing.
   * @type {WeakMap<Slot, number>}
   */
  #decoding = new WeakMap();

  /**
   * @param {{cache: import('../loading/cache.js').PictureCache, standingAt: (slot: number) => Standing | undefined,
   *   isHeldBack: () => boolean, isKeptWaiting: (token: string) => boolean, onEnd: () => void,
   *   onUnfit: (image: string, version: string, kind: Kind) => void}} parts  `isHeldBack`: what is not decoded now will
   *   be asked for again. `onEnd` is called when a slot may have its picture, or a reason. `onUnfit`: what came is none.
   */
  constructor({ cache, standingAt, isHeldBack, isKeptWaiting, onEnd, onUnfit }) {
    this.#choice = new PictureChoice(cache);
    this.#standingAt = standingAt;
    this.#isHeldBack = isHeldBack;
    this.#isKeptWaiting = isKeptWaiting;
    this.#onEnd = onEnd;
    this.#onUnfit = onUnfit;
  }

  /**
   * Gives the slot what there is.
   * @param {Slot} slot
   * @param {Standing} standing
   */
  bring(slot, standing) {
    const { token, image, preview, problem } = standing;
    if (slot.image?.id !== image) return;
    slot.token = token;
    slot.phase = 'waiting';
    slot.waitForOrigin(this.#isKeptWaiting(token));
    if (preview && isReady(preview)) commit(slot, token, { preview, image });
    if (problem) commit(slot, token, { problem, image });
    else this.bringTile(slot, standing);
  }

  /**
   * @param {Slot} slot
   * @param {Standing} standing
   */
  async bringTile(slot, standing) {
    const { showing } = slot;
    const { token, image, version } = standing;
    if (this.#isHeldBack() || slot.token !== token || this.#decoding.get(slot) === showing) return;
    const best = this.#choice.bestOf(slot, standing);
    if (!best || pixelsOf(best.kind) <= slot.pixels) {
      this.#finish(slot, standing);
      return;
    }
    let isShown = false;
    if (slot.phase !== 'shown') slot.phase = 'decoding';
    this.#decoding.set(slot, showing);
    try {
      const element = await decode(best.picture);
      isShown = commit(slot, token, { picture: best.picture, element, image, pixels: pixelsOf(best.kind) });
    } catch {
      this.#choice.reject(standing, best);
      if (version) this.#onUnfit(image, version, best.kind);
      const problem = new Problem(0, 'Not a picture that this browser can show');
      if (slot.pixels === 0) commit(slot, token, { problem, image });
    }
    this.#onEnd();
    if (this.#decoding.get(slot) !== showing) return;
    this.#decoding.delete(slot);
    // Something finer may have come meanwhile, or the slot have got another token.
    const now = this.#standingAt(slot.number);
    if (now && (isShown || slot.token !== token)) this.bringTile(slot, now);
  }

  /**
   * @param {Slot} slot
   * @param {Standing} standing
   */
  #finish(slot, standing) {
    if (slot.phase !== 'shown' || slot.token !== standing.token) return;
    if (this.#choice.isAll(slot, standing)) slot.finish();
  }
}
