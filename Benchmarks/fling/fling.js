/**
 * Scrolls the page by a script and records which pictures are on screen, in the same way for every front. Defines
 * `window.fling`.
 *
 * @typedef {{kind: 'steady', from: number, to: number, time: number}
 *   | {kind: 'natural', from: number, to: number, decay: number}
 *   | {kind: 'jump', from: number, to: number}} Motion  Pixels and milliseconds; `decay` is the time in which the
 *   remaining distance shrinks to 1/e.
 * @typedef {{columns: number, pitch: number, gap: number, height: number, total: number}} Layout  `height` is
 *   that of the visible part of the grid, `pitch` the distance from row to row.
 */
(() => {
  /** @type {Layout} */
  let layout;
  const sampleEvery = 50;
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const wall = () => performance.timeOrigin + performance.now();

  /** @type {HTMLImageElement[] | null} */
  const plain = document.querySelector('img[loading="lazy"]') ? [...document.querySelectorAll('img')] : null;

  /** The first and the last slot on screen while the page is scrolled to `y`. */
  function visibleAt(y) {
    const first = Math.floor((y + layout.gap) / layout.pitch) * layout.columns;
    const last = (Math.floor((y + layout.height - 1) / layout.pitch) + 1) * layout.columns - 1;
    return { first, last: Math.min(layout.total - 1, last) };
  }

  /** The number of slots that show their tile, and of those that show at least their preview. */
  function look({ first, last }) {
    let shown = 0;
    let own = 0;
    if (plain) {
      for (let index = first; index <= last; index += 1) {
        const image = plain[index];
        if (image.complete && image.naturalWidth > 0) shown += 1;
      }
      return { shown, own: shown };
    }
    for (const slot of document.querySelectorAll('.slot[data-index]')) {
      const index = Number(slot.dataset.index);
      if (index < first || index > last) continue;
      const { phase } = slot.dataset;
      if (phase === 'displayed') shown += 1;
      if (phase === 'displayed' || phase === 'preview') own += 1;
    }
    return { shown, own };
  }

  /**
   * @param {Motion} motion
   * @param {number} passed
   * @returns {number | null}  Null when the motion is over.
   */
  function placeAt(motion, passed) {
    const { kind, from, to } = motion;
    if (kind === 'steady') return passed < motion.time ? from + ((to - from) * passed) / motion.time : null;
    if (kind === 'jump') return null;
    const left = (to - from) * Math.exp(-passed / motion.decay);
    return Math.abs(left) < 0.5 ? null : to - left;
  }

  /** Waits until all slots on screen show their tiles; passes the first times of both states to `each`. */
  async function settle(patience) {
    const slots = visibleAt(scrollY);
    const wanted = slots.last - slots.first + 1;
    const end = performance.now() + patience;
    let previewed = null;
    let last = { shown: 0, own: 0 };
    while (performance.now() < end) {
      // The state found now is painted after this callback, and on screen when the next frame begins.
      const seen = look(slots);
      await nextFrame();
      if (previewed === null && seen.own === wanted) previewed = wall();
      if (seen.shown === wanted) return { ...slots, previewed, settled: wall() };
      last = seen;
    }
    return { ...slots, previewed, settled: null, lacking: wanted - last.shown };
  }

  /** Goes to a place, and waits there for its tiles. */
  async function goTo(y, patience) {
    scrollTo(0, y);
    await nextFrame();
    await nextFrame();
    return settle(patience);
  }

  /**
   * @param {Motion} motion
   * @param {number} patience  Milliseconds to wait after the stop.
   */
  async function run(motion, patience) {
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration)));
    observer.observe({ type: 'longtask' });
    const samples = [];
    let frames = 0;
    let sampled = 0;
    await nextFrame();
    const start = await nextFrame();
    const began = wall();
    for (let now = start; ; now = await nextFrame()) {
      frames += 1;
      if (now - sampled >= sampleEvery && now > start) {
        sampled = now;
        const slots = visibleAt(scrollY);
        samples.push([look(slots).own, slots.last - slots.first + 1]);
      }
      const place = placeAt(motion, now - start);
      if (place === null) break;
      scrollTo(0, place);
    }
    scrollTo(0, motion.to);
    const stopped = wall();
    await nextFrame();
    const end = await settle(patience);
    tasks.push(...observer.takeRecords().map((one) => one.duration));
    observer.disconnect();
    return { began, stopped, frames, samples, tasks, ...end };
  }

  /** A page that gets no more frames is an error, rather than an endless wait. */
  function within(milliseconds, work) {
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`not over after ${milliseconds} ms`)), milliseconds);
    });
    return Promise.race([work, late]);
  }

  window.fling = {
    run: (motion, patience) => within(patience + 30_000, run(motion, patience)),
    goTo: (y, patience) => within(patience + 10_000, goTo(y, patience)),
    lay(given) { layout = given; },
    atRest: () => look(visibleAt(scrollY)),
  };
})();
