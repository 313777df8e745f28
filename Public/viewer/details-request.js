/** @typedef {import('../catalog/server.js').GalleryImage} GalleryImage */

/** Fetches all metadata of an image, when the user opens the details or nothing is known yet. */
export class DetailsRequest {
  #server;
  /** Identifies the last request: the image's version, and whether the image had been loaded by then. */
  #asked = '';

  /** @param {import('../catalog/server.js').Server} server */
  constructor(server) {
    this.#server = server;
  }

  /**
   * @param {{image: GalleryImage | null, isReady: boolean}} frame
   * @param {boolean} isRead  Whether the details are open.
   * @returns {Promise<GalleryImage | undefined>}  Undefined if it was fetched before or is not needed.
   */
  async about({ image, isReady }, isRead) {
    // A server that had never read the file knows its metadata once it has rendered it.
    const wanted = `${image?.links.tile} ${isReady}`;
    const isObscure = isReady && !(image?.width && image.type);
    if (!image || wanted === this.#asked || !(isObscure || isRead)) return undefined;
    this.#asked = wanted;
    return this.#server.image(image.id).catch(() => undefined);
  }

  forget() {
    this.#asked = '';
  }
}
