/** Older positions say nothing about now. Milliseconds. */
const historyDuration = 340;
/** After this long without a frame, the history starts afresh. Milliseconds. */
const longestFrameGap = 180;
/**
 * The velocity is measured over at least this time: a late frame is followed by one that comes too soon.
 * Milliseconds.
 */
const velocityWindow = 120;
/**
 * The shortest duration assumed for a movement: two frames close together would make a step look like a leap.
 * Milliseconds.
 */
const shortestMovement = 32;
/**
 * This long without movement is a stop: longer than a frame of any screen, and than the interval of touch events.
 * Milliseconds.
 */
const stillAfter = 12;
const fewestSamples = 11;
/** How uncertain a landing may be: pixels, and a share of the remaining distance. */
const toleratedDoubt = { pixels: 40, share: 0.12 };
/** The remaining distance of a scroll is proportional to one of these powers of its velocity. */
const laws = [1, 1.5, 2];
/** How many times better than the first law another one must fit, because over a short stretch all of them fit. */
const requiredImprovement = 2.6;
/** A scroll is slowing if its velocity has dropped below this share of that at the start of the window. */
const slowingRatio = 0.93;
/** How long a scroll is assumed to continue at its present velocity. Seconds. */
const longestContinuation = 1.2;

/**
 * The velocity and the predicted end of a scroll, from its positions in the last few frames. Pure: it is given times
 * (milliseconds) and positions (pixels), and reads no clock.
 */
export class Motion {
  /** @type {number[]} */
  #times = [];
  /** @type {number[]} */
  #places = [];

  /** @param {number} time  Of the frame.  @param {number} place */
  add(time, place) {
    const last = this.#times.length - 1;
    if (last >= 0 && time <= this.#times[last]) return;
    if (last >= 0 && place === this.#places[last]) {
      if (time - this.#times[last] >= stillAfter) this.#restAt(time, place);
      return;
    }
    // After a rest it is unknown when the movement began: it counts as a leap until a second frame confirms it.
    if (last >= 0 && time - this.#times[last] > longestFrameGap) this.#restAt(time, place);
    else this.#note(time, place);
  }

  /** Pixels per second; positive towards the end, 0 at rest or if unknown. */
  get velocity() {
    const last = this.#times.length - 1;
    if (last < 1) return 0;
    let from = last - 1;
    while (from > 0 && this.#times[last] - this.#times[from] < velocityWindow) from -= 1;
    const passed = Math.max(this.#times[last] - this.#times[from], shortestMovement);
    return ((this.#places[last] - this.#places[from]) / passed) * 1_000;
  }

  /** The position where the scroll will end; undefined while that cannot be predicted. */
  get landing() {
    const last = this.#times.length - 1;
    if (last + 1 < fewestSamples) return undefined;
    const { velocities, places } = this.#slopes();
    const now = velocities[velocities.length - 1];
    const before = velocities[0];
    if (now * before <= 0 || Math.abs(now) > Math.abs(before) * slowingRatio) return undefined;
    // A finger's fling decays: its remaining distance is proportional to the velocity. With an even deceleration it is
    // proportional to the square of the velocity, and most easings lie between. Each is a straight line over that power
    // of the velocity, and the value at velocity 0 is the landing.
    const fits = laws.map((power) => fit(velocities.map((velocity) => raise(velocity, power)), places));
    const surest = fits.reduce((best, each) => (each.doubt < best.doubt ? each : best));
    const law = surest.doubt * requiredImprovement < fits[0].doubt ? surest : fits[0];
    const left = (law.atZero - this.#places[last]) * Math.sign(now);
    if (left < 0 || left > Math.abs(now) * longestContinuation) return undefined;
    const { pixels, share } = toleratedDoubt;
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
    while (this.#times[0] < time - historyDuration) {
      this.#times.shift();
      this.#places.shift();
    }
  }

  /** The velocity at each frame except the outer ones (pixels per second), from the frames around it. */
  #slopes() {
    const velocities = [];
    const places = [];
    // Over a longer stretch, whole pixels and uneven frames matter less.
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
 * @param {number} power  The sign is kept.
 */
function raise(value, power) {
  return Math.sign(value) * Math.abs(value) ** power;
}

/**
 * The least-squares line `y = atZero + slope x`. `doubt` is the standard error of `atZero`, infinite if the line does
 * not fall.
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
