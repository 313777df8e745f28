/**
 * The head and the index of a pyramid, as a server writes them; what is given in `changes` is written instead of what
 * would be right.
 */
export function madePyramid({ width, height, side = 512, flags = 0, bytesOfTile = 100 }, changes = {}) {
  const levels = [];
  for (let factor = 1; ; factor *= 2) {
    const [across, down] = [Math.ceil(width / factor), Math.ceil(height / factor)];
    levels.push(Math.ceil(across / side) * Math.ceil(down / side));
    if (Math.max(across, down) <= 2_560) break;
  }
  const count = levels.reduce((sum, each) => sum + each, 0);
  const length = 24 + 8 * count;
  const bytes = new ArrayBuffer(length);
  const view = new DataView(bytes);
  new Uint8Array(bytes).set(Buffer.from(changes.magic ?? 'TSRP'));
  view.setUint16(4, changes.version ?? 1, true);
  view.setUint16(6, changes.side ?? side, true);
  view.setUint32(8, changes.width ?? width, true);
  view.setUint32(12, changes.height ?? height, true);
  view.setUint16(16, changes.levels ?? levels.length, true);
  view.setUint8(18, changes.flags ?? flags);
  view.setUint32(20, changes.length ?? length, true);
  for (let number = 0; number < count; number += 1) {
    const [offset, size] = changes.tiles?.[number] ?? [length + number * bytesOfTile, bytesOfTile];
    view.setUint32(24 + 8 * number, offset, true);
    view.setUint32(28 + 8 * number, size, true);
  }
  return { bytes, size: length + count * bytesOfTile, length, count };
}
