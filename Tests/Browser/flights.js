/**
 * Flings through the gallery, and what is on screen when they have ended. Needs `readings.js`; evaluates to nothing and
 * leaves `window.fly`, and in `window.flight` what is known of the last.
 */
(() => {
  const { readAll, numberIn, slotsOnScreen, result, travel } = window.readings;

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** Why a slot does not show its own picture, and all of it; null where it does. */
  function lackOf([slot, meant]) {
    const { phase } = slot.dataset;
    const image = slot.querySelector('img');
    const seen = phase === 'shown' && image ? numberIn(image) : null;
    const reason = slot.querySelector('.slot-problem')?.innerText ?? '';
    return seen === meant ? null : { meant, seen, phase, reason };
  }

  function lacking() {
    return slotsOnScreen().map(lackOf).filter((lack) => lack !== null);
  }

  /**
   * Travels the legs, goes to a place and stays there until every slot on screen shows its own picture.
   * @param {{legs: Leg[], place: number}} plan  `place` as a share of the height of all.
   */
  async function fly({ legs, place }) {
    const before = result.readings;
    const flight = {
      /** Pictures that were read on the way. */
      get read() { return result.readings - before; },
      get wrong() { return result.wrong; },
      get unread() { return result.unread; },
      /** Moments of the page's clock, in milliseconds; null before. */
      landedAt: null,
      wholeAt: null,
      lacking,
    };
    window.flight = flight;
    for (const leg of legs) await travel(leg, (frame) => frame % 3 === 0 && readAll());
    scrollTo(0, place * (document.documentElement.scrollHeight - innerHeight));
    // Until slots stand for other pictures, those of before count as whole.
    await nextFrame();
    await nextFrame();
    flight.landedAt = performance.now();
    while (slotsOnScreen().length === 0 || lacking().length > 0) await nextFrame();
    readAll();
    flight.wholeAt = performance.now();
  }

  window.fly = fly;
})();
