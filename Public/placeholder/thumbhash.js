/**
 * ThumbHash (Evan Wallace, https://evanw.github.io/thumbhash/): an image in some 25 bytes, as the first few terms of
 * its cosine transform. Luminance L has the most terms; P (yellow against blue) and Q (red against green) have fewer,
 * and alpha A exists only for images that are not opaque.
 */

/** The longer side of the decoded image, in pixels. The browser smooths it to the size of the slot. */
const longestSide = 32;
const shortestHash = 5;

/**
 * @param {Uint8Array} hash
 * @returns {ImageData | null}  Null if `hash` is none.
 */
export function decodeThumbHash(hash) {
  if (hash.length < shortestHash) return null;
  const header = readHeader(hash);
  if (header.hasAlpha && hash.length < shortestHash + 1) return null;
  const channels = readChannels(hash, header);
  const ratio = header.columns / header.rows;
  const width = Math.max(1, Math.round(ratio > 1 ? longestSide : longestSide * ratio));
  const height = Math.max(1, Math.round(ratio > 1 ? longestSide / ratio : longestSide));
  return draw(channels, width, height);
}

/** @param {Uint8Array} hash */
function readHeader(hash) {
  const low = hash[0] | (hash[1] << 8) | (hash[2] << 16);
  const high = hash[3] | (hash[4] << 8);
  const hasAlpha = low >> 23 !== 0;
  const isLandscape = high >> 15 !== 0;
  const most = hasAlpha ? 5 : 7;
  const fewest = high & 7;
  return {
    hasAlpha,
    // The number of terms across and down determines the aspect ratio.
    columns: Math.max(1, isLandscape ? most : fewest),
    rows: Math.max(1, isLandscape ? fewest : most),
    mean: { l: (low & 63) / 63, p: ((low >> 6) & 63) / 31.5 - 1, q: ((low >> 12) & 63) / 31.5 - 1 },
    scale: { l: ((low >> 18) & 31) / 31, p: ((high >> 3) & 63) / 63, q: ((high >> 9) & 63) / 63 },
  };
}

/**
 * @typedef {{mean: number, terms: {across: number, down: number, weight: number}[]}} Channel
 * @param {Uint8Array} hash
 * @param {ReturnType<typeof readHeader>} header
 */
function readChannels(hash, { hasAlpha, columns, rows, mean, scale }) {
  const nibbles = nibblesFrom(hash, hasAlpha ? shortestHash + 1 : shortestHash);
  /** @type {(across: number, down: number, mean: number, scale: number) => Channel} */
  const channel = (across, down, ofMean, ofScale) => ({
    mean: ofMean,
    terms: termsOf(across, down).map((term) => ({ ...term, weight: (nibbles.next().value / 7.5 - 1) * ofScale })),
  });
  // Encoders quantise the colours' scale; a quarter more makes up for that loss.
  const vividness = 1.25;
  return {
    l: channel(Math.max(3, columns), Math.max(3, rows), mean.l, scale.l),
    p: channel(3, 3, mean.p, scale.p * vividness),
    q: channel(3, 3, mean.q, scale.q * vividness),
    a: hasAlpha ? channel(5, 5, (hash[5] & 15) / 15, (hash[5] >> 4) / 15) : { mean: 1, terms: [] },
  };
}

/**
 * Four bits at a time, the low ones of a byte first. A hash that is too short is continued with the middle value.
 * @param {Uint8Array} hash
 * @param {number} start
 * @returns {Generator<number, number>}
 */
function* nibblesFrom(hash, start) {
  for (let byte = start; byte < hash.length; byte += 1) {
    yield hash[byte] & 15;
    yield hash[byte] >> 4;
  }
  for (;;) yield 7.5;
}

/**
 * The triangle of low frequencies that a channel has, without the mean.
 * @param {number} across
 * @param {number} down
 */
function termsOf(across, down) {
  const terms = [];
  for (let y = 0; y < down; y += 1) {
    for (let x = y === 0 ? 1 : 0; x * down < across * (down - y); x += 1) terms.push({ across: x, down: y });
  }
  return terms;
}

/**
 * @param {ReturnType<typeof readChannels>} channels
 * @param {number} width
 * @param {number} height
 */
function draw({ l, p, q, a }, width, height) {
  const across = cosines(width);
  const down = cosines(height);
  const pixels = new ImageData(width, height);
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 4) {
      const luminance = valueAt(l, across[x], down[y]);
      const yellow = valueAt(p, across[x], down[y]);
      const red = valueAt(q, across[x], down[y]);
      const blue = luminance - (2 / 3) * yellow;
      const brighter = (3 * luminance - blue + red) / 2;
      // The array clamps values that are out of range.
      pixels.data[at] = brighter * 255;
      pixels.data[at + 1] = (brighter - red) * 255;
      pixels.data[at + 2] = blue * 255;
      pixels.data[at + 3] = valueAt(a, across[x], down[y]) * 255;
    }
  }
  return pixels;
}

/**
 * The cosines of the first seven frequencies at each of `length` places.
 * @param {number} length
 */
function cosines(length) {
  return Array.from({ length }, (_, place) =>
    Array.from({ length: 7 }, (_, frequency) => Math.cos((Math.PI / length) * (place + 0.5) * frequency)),
  );
}

/**
 * @param {Channel} channel
 * @param {number[]} across
 * @param {number[]} down
 */
function valueAt({ mean, terms }, across, down) {
  let value = mean;
  for (const term of terms) value += term.weight * across[term.across] * down[term.down] * 2;
  return value;
}
