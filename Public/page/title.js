/** The title of the browser's tab: the image in the viewer, or else the search or the folder of the view. */
export class PageTitle {
  static #place = '';
  static #image = '';

  /** @param {import('../catalog/view.js').View} view  The view that was requested last. */
  static showView({ q, folder }) {
    PageTitle.#place = q ? `“${q}”` : folder.split('/').at(-1) ?? '';
    PageTitle.#follow();
  }

  /** @param {string} name  Of the image in the viewer; empty when the viewer closes. */
  static showImage(name) {
    PageTitle.#image = name;
    PageTitle.#follow();
  }

  static #follow() {
    document.title = [PageTitle.#image || PageTitle.#place, 'Tessera'].filter(Boolean).join(' – ');
  }
}
