import { Message } from '../page/message.js';

/** Copies what the viewer displays. Browsers allow it on pages that come over HTTPS or from this machine. */

/** iOS makes no larger canvas. */
const mostPixels = 16_000_000;

/** @param {string} address */
export async function copyLink(address) {
  await copy(() => navigator.clipboard.writeText(address), 'Link copied.');
}

/** @param {Pick<import('./frame.js').Frame, 'picture' | 'zoom'>} frame */
export async function copyPicture({ picture, zoom }) {
  if (!picture) {
    Message.show('The picture has not loaded yet.');
    return;
  }
  // Passes a promise: in some browsers the user activation would expire before the picture is ready.
  await copy(() => navigator.clipboard.write([new ClipboardItem({ 'image/png': drawn(picture, zoom.quarterTurns) })]), 'Picture copied.');
}

/**
 * @param {() => Promise<void>} write
 * @param {string} done
 */
async function copy(write, done) {
  try {
    await write();
    Message.show(done);
  } catch {
    const reason = isSecureContext ? 'This browser does not allow it.' : 'Browsers allow it only over HTTPS.';
    Message.show(`Nothing was copied. ${reason}`);
  }
}

/**
 * @param {HTMLImageElement} picture
 * @param {number} quarterTurns  Clockwise, by which it is displayed.
 * @returns {Promise<Blob>}  A PNG, the only format that all browsers copy.
 */
function drawn(picture, quarterTurns) {
  const { naturalWidth, naturalHeight } = picture;
  const scale = Math.min(1, Math.sqrt(mostPixels / (naturalWidth * naturalHeight)));
  const [width, height] = [Math.round(naturalWidth * scale), Math.round(naturalHeight * scale)];
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = quarterTurns % 2 === 1 ? [height, width] : [width, height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((quarterTurns * Math.PI) / 2);
  context.drawImage(picture, -width / 2, -height / 2, width, height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
}
