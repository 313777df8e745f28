/**
 * Flings through the gallery, and checks what is on screen when they end. Needs `readings.js`. Evaluates to nothing;
 * defines `window.fly`, which stores the state of the last fling in `window.flight`.
 */
(() => {
  const { readAll, numberIn, slotsOnScreen, result, travel } = window.readings;

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** Why a slot does not show its own, complete picture; null if it does. */
  function lackOf([slot, meant]) {
    const { phase } = slot.dataset;
    const image = slot.querySelector('img');
    const seen = phase === 'displayed' && image ? numberIn(image) : null;
    const reason = slot.querySelector('.slot-problem')?.innerText ?? '';
    return seen === meant ? null : { meant, seen, phase, reason };
  }

  function lacking() {
    return slotsOnScreen().map(lackOf).filter((lack) => lack !== null);
  }

  /**
   * Scrolls the legs, jumps to a position, and stays there until every slot on screen shows its own picture.
   * @param {{legs: Leg[], place: number}} plan  `place` is a fraction of the scroll height.
   */
  async function fly({ legs, place }) {
    const before = result.readings;
    const flight = {
      /** Pictures read since the fling began. */
      get read() { return result.readings - before; },
      get wrong() { return result.wrong; },
      get unread() { return result.unread; },
      /** Times of the page's clock, in milliseconds; null until then. */
      landedAt: null,
      wholeAt: null,
      lacking,
    };
    window.flight = flight;
    for (const leg of legs) await travel(leg, (frame) => frame % 3 === 0 && readAll());
    scrollTo(0, place * (document.documentElement.scrollHeight - innerHeight));
    // Until slots are assigned their new pictures, the old ones count as complete.
    await nextFrame();
    await nextFrame();
    flight.landedAt = performance.now();
    while (slotsOnScreen().length === 0 || lacking().length > 0) await nextFrame();
    readAll();
    flight.wholeAt = performance.now();
  }

  window.fly = fly;
})();
