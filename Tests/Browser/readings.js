/**
 * Reads the numbers in the demo's pictures on screen while the page is being scrolled.
 * Evaluates to nothing; defines `window.readings`.
 */
(() => {
  const canvas = document.createElement('canvas');
  canvas.width = 8;
  canvas.height = 2;
  const context = canvas.getContext('2d', { willReadFrequently: true });

  const colours = [[20, 22, 58], [205, 38, 58], [40, 186, 150], [255, 240, 190]];

  /** The two bits of the nearest of the four colours. */
  function bitsOf([red, green, blue]) {
    const far = colours.map(([r, g, b]) => (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2);
    return far.indexOf(Math.min(...far));
  }

  /**
   * The number in a picture of the demo, from the mosaic along its lower edge (documented by NumberMosaic in the demo's
   * origin); null if it can't be read.
   */
  function numberIn(image) {
    const width = image.naturalWidth;
    const height = image.naturalHeight;
    // A picture that has not loaded draws nothing, and the previous reading must not be repeated.
    context.clearRect(0, 0, 8, 2);
    // The middle of each tile becomes one pixel, so that each picture takes a single small reading.
    for (let tile = 0; tile < 16; tile += 1) {
      const [row, column] = [Math.floor(tile / 8), tile % 8];
      const [x, y] = [((column + 0.25) / 8) * width, (0.825 + 0.1 * row) * height];
      context.drawImage(image, x, y, width / 16, height / 20, column, row, 1, 1);
    }
    const { data } = context.getImageData(0, 0, 8, 2);
    let word = 0;
    for (let tile = 0; tile < 16; tile += 1) word = (word << 2) | bitsOf(data.subarray(tile * 4, tile * 4 + 3));
    const plain = (word ^ 0x1be46cb1) >>> 0;
    const number = plain >>> 8;
    const isRead = (plain & 255) === ((Math.imul(number, 0x9e3779b1) >>> 24) ^ 0x5a);
    return isRead ? number : null;
  }

  const top = document.getElementById('header').offsetHeight;

  function isOnScreen(slot) {
    const box = slot.getBoundingClientRect();
    return box.height > 0 && box.bottom > top && box.top < innerHeight;
  }

  const result = { readings: 0, previews: 0, unread: 0, empty: 0, wrong: [], mostImages: 0 };

  /** In reading order, with indices counted from the first slot, whatever the others claim to be. */
  function slotsOnScreen() {
    const slots = [...document.querySelectorAll('.slot')].filter(isOnScreen);
    const places = new Map(slots.map((slot) => [slot, slot.getBoundingClientRect()]));
    slots.sort((one, other) => places.get(one).top - places.get(other).top || places.get(one).left - places.get(other).left);
    const first = Number(slots[0]?.dataset.index);
    return slots.map((slot, at) => [slot, first + at]);
  }

  function readAll() {
    for (const [slot, meant] of slotsOnScreen()) {
      const images = slot.querySelectorAll('img');
      result.empty += images.length === 0 ? 1 : 0;
      for (const image of images) {
        result.previews += Math.max(image.naturalWidth, image.naturalHeight) <= 64 ? 1 : 0;
        const seen = numberIn(image);
        if (seen === null) result.unread += 1;
        else result.readings += 1;
        if (seen !== null && seen !== meant) result.wrong.push({ meant, seen });
      }
    }
    result.mostImages = Math.max(result.mostImages, document.images.length);
  }

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /**
   * @typedef {{speed: number, time: number, stop: number}} Leg  Pixels per millisecond, milliseconds, and the frames to
   *   stay after the leg.
   * @param {Leg} leg
   * @param {(frame: number) => void} each
   * @param {() => boolean} [isWaiting]  Whether to stay longer, up to two seconds.
   */
  async function travel({ speed, time, stop }, each, isWaiting = () => false) {
    const end = performance.now() + time;
    let before = performance.now();
    for (let frame = 0; before < end; frame += 1) {
      const now = await nextFrame();
      scrollBy(0, speed * Math.max(0, now - before));
      before = now;
      each(frame);
    }
    const latest = performance.now() + 2_000;
    for (let frame = 0; frame < stop || (isWaiting() && performance.now() < latest); frame += 1) {
      await nextFrame();
      each(frame);
    }
  }

  /**
   * Scrolls the legs repeatedly until enough pictures have been read, one was wrong, or the time is over. Leaves a stop
   * as soon as pictures begin to arrive, because late arrivals during scrolling are what matters.
   * @param {{legs: Leg[], enough: number, time: number, untilWrong: boolean}} plan  `time` in milliseconds.
   */
  async function read({ legs, enough, time, untilWrong }) {
    const end = performance.now() + time;
    const isDone = () => result.readings >= enough || (untilWrong && result.wrong.length > 0);
    for (let turn = 0; !isDone() && performance.now() < end; turn += 1) {
      const before = result.readings;
      const each = (frame) => frame % 3 === 0 && readAll();
      await travel(legs[turn % legs.length], each, () => !isDone() && result.readings - before < 30);
    }
    return result;
  }

  /** Scrolls without reading; returns the durations of the page's long tasks, in milliseconds. */
  async function watchTasks(legs) {
    const long = [];
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ type: 'longtask' });
    for (const leg of legs) await travel(leg, () => {});
    long.push(...observer.takeRecords().map((entry) => entry.duration));
    observer.disconnect();
    return long;
  }

  window.readings = { read, watchTasks, travel, readAll, numberIn, slotsOnScreen, result };
})();
