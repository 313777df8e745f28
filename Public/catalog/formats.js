/**
 * The image formats that this browser decodes, as an Accept header: scripts must state what an <img> states by itself.
 */

/** One black pixel; a browser that decodes it decodes AVIF. */
const avifPixel =
  'data:image/avif;base64,AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljd' +
  'AAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAIAAAAChpaW5mAAAAAAABAAAAGmluZmUCA' +
  'AAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAQAAAAEAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAA' +
  'AAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAKG1kYXQSAAoIGAAGiAhoNCAyEh7Hh4VZ3///4sAAAJA1jjx+r' +
  'Q==';

/** Determined once, when the module is loaded. */
export const acceptedPictures = decodes(avifPixel).then((isShown) =>
  isShown ? 'image/avif, image/webp, image/*;q=0.8' : 'image/webp, image/*;q=0.8',
);

/** @param {string} url */
async function decodes(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return true;
  } catch {
    return false;
  }
}
