/**
 * The same numbers in every run (Park and Miller's generator).
 * @param {number} seed
 * @returns {(from: number, to: number) => number}  Whole ones, both ends inclusive.
 */
export function dice(seed) {
  let state = seed;
  return (from, to) => {
    state = (state * 48_271) % 2_147_483_647;
    return from + (state % (to - from + 1));
  };
}

/** Galleries as there are: what proportions their pictures have. */
export const galleries = {
  camera: [4 / 3, 4 / 3, 1.5, 1.5, 3 / 4, 2 / 3, 1, 1.6],
  phone: [4 / 3, 3 / 4, 3 / 4, 16 / 9, 9 / 16, 0.46],
  portraits: [2 / 3, 3 / 4, 0.8],
  alike: [4 / 3],
  wide: [1.5],
  panoramas: [4 / 3, 1.5, 3 / 4, 4, 2.5, 1.5, 4 / 3, 4 / 3],
  extreme: [3, 0.5, 1.3, 6, 0.2],
};

/**
 * @param {number} count
 * @param {number[]} kinds
 * @param {(from: number, to: number) => number} roll
 */
export function ratiosOf(count, kinds, roll) {
  return Array.from({ length: count }, () => kinds[roll(0, kinds.length - 1)]);
}
