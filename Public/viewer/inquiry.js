/** @typedef {import('../catalog/server.js').GalleryImage} GalleryImage */

/** Asks for everything that the server knows of a picture, where somebody wants to read it or nothing is known yet. */
export class Inquiry {
  #server;
  /** Of which image the server was asked, and whether that was after it had been loaded. */
  #asked = '';

  /** @param {import('../catalog/server.js').Server} server */
  constructor(server) {
    this.#server = server;
  }

  /**
   * @param {{image: GalleryImage | null, isReady: boolean}} frame
   * @param {boolean} isRead  Whether somebody reads it.
   * @returns {Promise<GalleryImage | undefined>}  Nothing where it was asked for before, or is not needed.
   */
  async about({ image, isReady }, isRead) {
    // A server that had never seen the file knows it once it has made a picture of it.
    const wanted = `${image?.id} ${isReady}`;
    const isObscure = isReady && !(image?.width && image.type);
    if (!image || wanted === this.#asked || !(isObscure || isRead)) return undefined;
    this.#asked = wanted;
    return this.#server.image(image.id).catch(() => undefined);
  }

  forget() {
    this.#asked = '';
  }
}
