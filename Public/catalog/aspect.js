/**
 * The aspect ratio (width divided by height) of an image of unknown size. Most cameras and phones produce 4:3. The
 * server assumes the same.
 */
export const assumedAspect = 4 / 3;
