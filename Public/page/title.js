let placeName = '';
let imageName = '';

/** The title of the browser's tab: the image in the viewer, or else the search or the folder of the view. */
export class PageTitle {
  /** @param {import('../catalog/view.js').View} view  The view that was requested last. */
  static showView({ q, folder }) {
    placeName = q ? `“${q}”` : folder.split('/').at(-1) ?? '';
    updateTitle();
  }

  /** @param {string} name  Of the image in the viewer; empty when the viewer closes. */
  static showImage(name) {
    imageName = name;
    updateTitle();
  }
}

function updateTitle() {
  document.title = [imageName || placeName, 'Tessera'].filter(Boolean).join(' – ');
}
