/**
 * Reads the numbers out of the demo's pictures, as they are on screen, while the page is being scrolled.
 * Evaluates to nothing; leaves `window.readings`.
 */
(() => {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });

  /** The index that a picture of the demo says it has, from the pixels that the slot's <img> shows. */
  function numberIn(image) {
    const width = (canvas.width = image.naturalWidth);
    const height = (canvas.height = image.naturalHeight);
    context.drawImage(image, 0, 0);
    const side = Math.min(width, height) / 14;
    const left = (width - 10 * side) / 2;
    const top = height / 2 + side * 2.4;
    let number = 0;
    for (let bit = 0; bit < 20; bit += 1) {
      const x = left + ((bit % 10) + 0.5) * side;
      const y = top + (Math.floor(bit / 10) + 0.5) * side;
      const [red, green, blue] = context.getImageData(Math.round(x), Math.round(y), 1, 1).data;
      if (red + green + blue > 384) number += 2 ** bit;
    }
    return number;
  }

  /** Where a slot is says which it is; not what the page has noted of it. */
  function indexOf(slot) {
    const row = Number(slot.parentElement.getAttribute('aria-rowindex')) - 1;
    const columns = Number(document.getElementById('grid').getAttribute('aria-colcount'));
    return row * columns + Number(slot.getAttribute('aria-colindex')) - 1;
  }

  const top = document.getElementById('header').offsetHeight;

  function isOnScreen(slot) {
    const box = slot.getBoundingClientRect();
    return box.height > 0 && box.bottom > top && box.top < innerHeight;
  }

  const result = { readings: 0, empty: 0, wrong: [], mostImages: 0 };

  function readAll() {
    for (const slot of document.querySelectorAll('.slot')) {
      if (!isOnScreen(slot)) continue;
      const images = slot.querySelectorAll('img');
      result.empty += images.length === 0 ? 1 : 0;
      for (const image of images) {
        const seen = numberIn(image);
        const meant = indexOf(slot);
        result.readings += 1;
        if (seen !== meant) result.wrong.push({ meant, seen });
      }
    }
    result.mostImages = Math.max(result.mostImages, document.images.length);
  }

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /**
   * @typedef {{speed: number, time: number, stop: number}} Leg  Pixels a millisecond, milliseconds, and for how many
   *   frames to stay after the leg.
   * @param {Leg} leg
   * @param {(frame: number) => void} each
   */
  async function travel({ speed, time, stop }, each) {
    const end = performance.now() + time;
    let before = performance.now();
    for (let frame = 0; before < end; frame += 1) {
      const now = await nextFrame();
      scrollBy(0, speed * Math.max(0, now - before));
      before = now;
      each(frame);
    }
    for (let frame = 0; frame < stop; frame += 1) {
      await nextFrame();
      each(frame);
    }
  }

  /**
   * Travels the legs again and again until enough was read, or wrong, or the time is over.
   * @param {{legs: Leg[], enough: number, time: number, untilWrong: boolean}} plan  `time` in milliseconds.
   */
  async function read({ legs, enough, time, untilWrong }) {
    const end = performance.now() + time;
    const isDone = () => result.readings >= enough || (untilWrong && result.wrong.length > 0);
    for (let turn = 0; !isDone() && performance.now() < end; turn += 1) {
      await travel(legs[turn % legs.length], (frame) => frame % 3 === 0 && readAll());
    }
    return result;
  }

  /** Travels and reads nothing; tells how long the page's own work held up the frames, in milliseconds. */
  async function watchTasks(legs) {
    const long = [];
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    for (const leg of legs) await travel(leg, () => {});
    long.push(...observer.takeRecords().map((entry) => entry.duration));
    observer.disconnect();
    return long;
  }

  window.readings = { read, watchTasks, travel };
})();
