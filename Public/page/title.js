let place = '';
let image = '';

/** The title of the browser's tab: the image in the viewer, or else the search or the folder of the view. */
export class PageTitle {
  /** @param {import('../catalog/view.js').View} view  The view that was requested last. */
  static showView({ q, folder }) {
    place = q ? `“${q}”` : folder.split('/').at(-1) ?? '';
    follow();
  }

  /** @param {string} name  Of the image in the viewer; empty when the viewer closes. */
  static showImage(name) {
    image = name;
    follow();
  }
}

function follow() {
  document.title = [image || place, 'Tessera'].filter(Boolean).join(' – ');
}
