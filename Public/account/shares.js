import { find } from '../page/template.js';
import { takeSelection } from '../sharing/kept-selection.js';
import { fieldOf, onSubmit } from './form.js';
import { button, dateText, entry } from './list.js';
import { showSecret } from './secret.js';

/**
 * @typedef {import('./accounts-server.js').Contents} Contents
 * @typedef {import('./accounts-server.js').Share} Share
 */

/** @type {Contents[]} */
const contents = ['metadata', 'place', 'originals'];

/** The links by which this account shows parts of the gallery to others; an owner sees everybody's. */
export class Shares {
  /** @type {HTMLFormElement} */
  #form = find('#share');
  #server;
  #act;
  /** The query of the view to share. */
  #view;
  /**
   * The ids of the images to share in place of a view.
   * @type {string[]}
   */
  #images;

  /**
   * @param {import('./accounts-server.js').AccountsServer} server
   * @param {import('./account.js').Act} act
   */
  constructor(server, act) {
    this.#server = server;
    this.#act = act;
    this.#view = sharedView(decodeURIComponent(location.hash.match(/^#share=(.*)$/)?.[1] ?? ''));
    // Pages of the former version write `share-image`.
    this.#images = location.hash.match(/^#share-images?=([\w,]+)$/)?.[1].split(',') ?? [];
    find('#share-view').textContent = this.#images.length
      ? `The share will show ${countText(this.#images.length)}.`
      : `The share will show ${viewText(this.#view)}, including pictures added later.`;
    if (location.hash.startsWith('#share-') && this.#images.length === 0) {
      find('#share-view').textContent = 'These pictures cannot be shared. Select them again in the gallery.';
      /** @type {HTMLButtonElement} */ (find('[type=submit]', this.#form)).disabled = true;
    }
    onSubmit(this.#form, () => this.#make());
  }

  async show() {
    const shares = await this.#server.shares();
    find('#shares-list').replaceChildren(...shares.map((share) => this.#entry(share)));
    find('#shares').hidden = false;
  }

  /** @param {Share} share */
  #entry({ id, name, link, view, imageCount, password, expires, visits, maker }) {
    const note = [
      maker && `by ${maker}`,
      imageCount ? countText(imageCount) : viewText(view),
      password && 'with a password',
      expires ? `until ${dateText(expires)}` : 'does not expire',
      visits === 1 ? 'opened once' : `opened ${visits} times`,
    ];
    const end = () => this.#act(`The link of ${name} no longer works.`, () => this.#server.endShare(id), () => this.show());
    return entry(name, note.filter(Boolean).join('; '), [
      button('Link', () => this.#showLink(name, link), `Link of ${name}`),
      button('End', end, `End ${name}`),
    ]);
  }

  async #make() {
    const name = /** @type {HTMLInputElement} */ (find('#share-name')).value;
    const password = /** @type {HTMLInputElement} */ (find('#share-password')).value;
    const days = /** @type {HTMLSelectElement} */ (find('#share-days')).value;
    const chosen = contents.filter((content) => fieldOf(this.#form, content).checked);
    const share = { name, view: this.#view, images: this.#images, days: days ? Number(days) : null, password, contents: chosen };
    const { link, imageCount = 0 } = await this.#server.share(share);
    takeSelection();
    this.#form.reset();
    await this.show();
    this.#showLink(name, link);
    const gone = this.#images.length - imageCount;
    if (gone > 0) find('#share-view').textContent = `The share shows ${countText(imageCount)}; the others are no longer in the gallery.`;
  }

  /**
   * @param {string} name
   * @param {string} link  Relative to the page.
   */
  #showLink(name, link) {
    showSecret(find('#share-link'), `Anybody with this link can see ${name}.`, new URL(link, location.href).href);
  }
}

/** @param {number} count  Of images. */
function countText(count) {
  return count === 1 ? 'one picture' : `${count.toLocaleString('en')} pictures`;
}

/**
 * The part of a view's query that says which pictures it shows.
 * @param {string} query
 */
function sharedView(query) {
  const view = new URLSearchParams(query);
  for (const name of [...view.keys()]) if (name !== 'q' && name !== 'folder') view.delete(name);
  return view.toString();
}

/** @param {string} query */
function viewText(query) {
  const view = new URLSearchParams(query);
  const [folder, search] = [view.get('folder'), view.get('q')];
  if (folder && search) return `“${search}” in the folder ${folder}`;
  if (folder) return `the folder ${folder}`;
  return search ? `pictures that match “${search}”` : 'all pictures';
}
