/** So much of a picture, as a share, may be cut for it to fill its slot. */
const cut = 0.03;

/**
 * Whether the picture fills the slot with next to nothing of it cut. Small pictures have only nearly the proportions of
 * their originals: whole pixels.
 * @param {{naturalWidth: number, naturalHeight: number}} picture
 * @param {{width: number, height: number}} box
 */
export function fills({ naturalWidth, naturalHeight }, { width, height }) {
  const doubt = 0.5 / Math.max(1, Math.min(naturalWidth, naturalHeight));
  return Math.abs(Math.log((naturalWidth * height) / (naturalHeight * width))) <= cut + doubt;
}
