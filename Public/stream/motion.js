/**
 * How fast a scroll goes and where it will end, told from where it was at the last few frames. Pure: it is given times
 * (milliseconds) and places (pixels), and asks no clock.
 */
export class Motion {
  /** What is older says nothing about now. Milliseconds. */
  static #memory = 340;
  /** After so long without a frame nobody knows what happened between. */
  static #pause = 180;
  /** The velocity is that of at least so long a time: a frame that was late is followed by one that is too soon. */
  static #window = 120;
  /** Two frames close together would make a leap of a step: no movement is taken to be shorter than this. */
  static #shortest = 32;
  /** So long without movement is a stop: a frame of any screen, and more than what lies between two touch events. */
  static #still = 12;
  static #fewestSamples = 11;
  /** How unsure a landing may be: so many pixels, and so much of the way that is left. */
  static #doubt = { pixels: 40, share: 0.12 };
  /** What is left of the way is proportional to these powers of the velocity, as scrolls go. */
  static #laws = [1, 1.5, 2];
  /** So many times surer than the first law must another be: over a short stretch all of them fit. */
  static #preference = 2.6;
  /** Of the velocity at the window's beginning; what has lost less is not clearly slowing. */
  static #slower = 0.93;
  /** The longest that a scroll is believed to go on at its present velocity. Seconds. */
  static #longestWay = 1.2;

  /** @type {number[]} */
  #times = [];
  /** @type {number[]} */
  #places = [];

  /** @param {number} time  Of the frame.  @param {number} place */
  add(time, place) {
    const last = this.#times.length - 1;
    if (last >= 0 && time <= this.#times[last]) return;
    if (last >= 0 && place === this.#places[last]) {
      if (time - this.#times[last] >= Motion.#still) this.#restAt(time, place);
      return;
    }
    // After a rest nobody knows when the movement began: it is a leap until a second frame confirms it.
    if (last >= 0 && time - this.#times[last] > Motion.#pause) this.#restAt(time, place);
    else this.#note(time, place);
  }

  /** Pixels a second; positive towards the end, 0 at rest or when not known. */
  get velocity() {
    const last = this.#times.length - 1;
    if (last < 1) return 0;
    let from = last - 1;
    while (from > 0 && this.#times[last] - this.#times[from] < Motion.#window) from -= 1;
    const passed = Math.max(this.#times[last] - this.#times[from], Motion.#shortest);
    return ((this.#places[last] - this.#places[from]) / passed) * 1_000;
  }

  /** The place where it will come to rest, or undefined while that cannot be told. */
  get landing() {
    const last = this.#times.length - 1;
    if (last + 1 < Motion.#fewestSamples) return undefined;
    const { velocities, places } = this.#slopes();
    const now = velocities[velocities.length - 1];
    const before = velocities[0];
    if (now * before <= 0 || Math.abs(now) > Math.abs(before) * Motion.#slower) return undefined;
    // A finger's fling dies away: what is left of the way is proportional to the velocity. What brakes evenly has a way
    // left that is proportional to its square, and most easings lie between. Each is a straight line over that power
    // of the velocity, and its end, at no velocity, is the landing.
    const fits = Motion.#laws.map((power) => fit(velocities.map((velocity) => raise(velocity, power)), places));
    const surest = fits.reduce((best, each) => (each.doubt < best.doubt ? each : best));
    const law = surest.doubt * Motion.#preference < fits[0].doubt ? surest : fits[0];
    const left = (law.atZero - this.#places[last]) * Math.sign(now);
    if (left < 0 || left > Math.abs(now) * Motion.#longestWay) return undefined;
    const { pixels, share } = Motion.#doubt;
    return law.doubt <= pixels + share * left ? law.atZero : undefined;
  }

  /** @param {number} time  @param {number} place */
  #restAt(time, place) {
    this.#times.length = 0;
    this.#places.length = 0;
    this.#note(time, place);
  }

  /** @param {number} time  @param {number} place */
  #note(time, place) {
    this.#times.push(time);
    this.#places.push(place);
    while (this.#times[0] < time - Motion.#memory) {
      this.#times.shift();
      this.#places.shift();
    }
  }

  /** The velocity at each frame but the outer ones (pixels a second), from the frames around it. */
  #slopes() {
    const velocities = [];
    const places = [];
    // Over a longer stretch whole pixels and uneven frames weigh less.
    const reach = 3;
    for (let at = reach; at + reach < this.#times.length; at += 1) {
      const passed = this.#times[at + reach] - this.#times[at - reach];
      velocities.push(((this.#places[at + reach] - this.#places[at - reach]) / passed) * 1_000);
      places.push(this.#places[at]);
    }
    return { velocities, places };
  }
}

/**
 * @param {number} value
 * @param {number} power  The sign stays.
 */
function raise(value, power) {
  return Math.sign(value) * Math.abs(value) ** power;
}

/**
 * The straight line `y = atZero + slope x` of least squares. `doubt` is the standard error of `atZero`, infinite where
 * the line does not fall.
 * @param {number[]} xs
 * @param {number[]} ys
 */
function fit(xs, ys) {
  const count = xs.length;
  let [meanX, meanY, xx, xy, yy] = [0, 0, 0, 0, 0];
  for (let at = 0; at < count; at += 1) {
    meanX += xs[at] / count;
    meanY += ys[at] / count;
  }
  for (let at = 0; at < count; at += 1) {
    const [x, y] = [xs[at] - meanX, ys[at] - meanY];
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (xx === 0 || xy >= 0) return { atZero: meanY, doubt: Infinity };
  const scatter = Math.max(0, yy - (xy * xy) / xx) / (count - 2);
  return { atZero: meanY - (xy / xx) * meanX, doubt: Math.sqrt(scatter * (1 / count + (meanX * meanX) / xx)) };
}
