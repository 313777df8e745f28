import { announce } from '../page/announcer.js';
import { readPreference, savePreference } from '../page/memory.js';
import { find } from '../page/template.js';
import { isMenuOpen } from './menu.js';
import { Wakefulness } from './wakefulness.js';

const preferenceName = 'slideshow';
/** The time after which the controls hide. Milliseconds. */
const hideAfter = 2_500;

/** The controls of the slideshow: start, pause, end, and the time per image. They hide while the user does nothing. */
export class SlideshowBar {
  #slideshow;
  #dialog = find('#viewer');
  #element = find('#slideshow');
  #button = find('#viewer-slideshow');
  #toggle = find('#slideshow-toggle');
  /** @type {HTMLSelectElement} */
  #seconds = find('#slideshow-seconds');
  #wakefulness = new Wakefulness();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle;

  /** @param {import('./slideshow.js').Slideshow} slideshow */
  constructor(slideshow) {
    this.#slideshow = slideshow;
    const remembered = readPreference(preferenceName);
    if (remembered) this.#seconds.value = remembered;
    // The stored choice may no longer exist.
    if (this.#seconds.selectedIndex < 0) this.#seconds.value = String(slideshow.seconds);
    slideshow.seconds = Number(this.#seconds.value);
    this.#button.addEventListener('click', () => this.toggle());
    this.#toggle.addEventListener('click', () => this.toggle());
    find('#slideshow-end').addEventListener('click', () => this.end());
    this.#seconds.addEventListener('change', () => {
      slideshow.seconds = Number(this.#seconds.value);
      savePreference(preferenceName, this.#seconds.value);
    });
    for (const type of ['pointermove', 'pointerdown', 'keydown', 'focusin']) {
      this.#dialog.addEventListener(type, (event) => this.#isHeeded(event) && this.#stir(), { passive: true });
    }
    document.addEventListener('visibilitychange', () => slideshow.hold(document.hidden));
  }

  /** From the start of the slideshow to its end, also while it is paused. */
  get isShown() {
    return !this.#element.hidden;
  }

  toggle() {
    if (this.#slideshow.isPlaying) this.#slideshow.pause();
    else this.#slideshow.play();
  }

  end() {
    if (!this.isShown) return;
    const hadFocus = this.#element.contains(document.activeElement);
    this.#slideshow.pause();
    this.#element.hidden = true;
    if (hadFocus) this.#button.focus();
    announce('Slideshow ended');
  }

  /** A tap hides the viewer's bars, or displays them again, whether a tap or idleness has hidden them. */
  toggleBars() {
    const areHidden = this.#dialog.matches('[data-bare], [data-idle]');
    this.#dialog.toggleAttribute('data-bare', !areHidden);
    if (areHidden) this.#stir();
  }

  /** The slideshow has started or stopped. */
  follow() {
    const { isPlaying } = this.#slideshow;
    this.#element.hidden = false;
    this.#dialog.toggleAttribute('data-playing', isPlaying);
    this.#button.setAttribute('aria-pressed', String(isPlaying));
    this.#toggle.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    this.#toggle.title = isPlaying ? 'Pause (Space)' : 'Play (Space)';
    announce(isPlaying ? 'Slideshow playing' : 'Slideshow paused');
    this.#wakefulness.keep(isPlaying);
    this.#stir();
  }

  /**
   * Whether an event displays the bars. While they are hidden, a tap does so by itself when it ends, and a swipe does
   * not. A tap may move the focus.
   * @param {Event} event
   */
  #isHeeded(event) {
    if (!this.#dialog.hasAttribute('data-idle')) return true;
    if (event instanceof PointerEvent) return event.pointerType === 'mouse';
    return event.type !== 'focusin' || /** @type {Element} */ (event.target).matches(':focus-visible');
  }

  #stir() {
    clearTimeout(this.#idle);
    this.#dialog.removeAttribute('data-idle');
    if (!this.#slideshow.isPlaying) return;
    this.#idle = setTimeout(() => this.#rest(), hideAfter);
  }

  #rest() {
    // The menu is part of the bar.
    if (isMenuOpen()) this.#stir();
    else this.#dialog.setAttribute('data-idle', '');
  }
}
