import { find } from '../page/template.js';

export function isMenuOpen() {
  return find('#viewer-menu').matches(':popover-open');
}

/**
 * Attaches the viewer's "More" menu.
 * @param {HTMLDialogElement} dialog
 * @param {{rotate: (by: 1 | -1) => void, toggleComparison: () => void, copyPicture: () => void, copyLink: () => void}} actions
 */
export function attachMenu(dialog, actions) {
  const menu = find('#viewer-menu');
  const button = find('#viewer-more');
  const close = () => isMenuOpen() && menu.hidePopover();
  const items = {
    '#viewer-rotate': () => actions.rotate(1),
    '#viewer-rotate-left': () => actions.rotate(-1),
    '#viewer-compare': actions.toggleComparison,
    '#viewer-copy': actions.copyPicture,
    '#viewer-copy-link': actions.copyLink,
    '#viewer-open': () => {},
  };
  for (const [selector, act] of Object.entries(items)) {
    find(selector).addEventListener('click', () => {
      close();
      act();
    });
  }
  dialog.addEventListener('close', close);
  menu.addEventListener('toggle', () => button.setAttribute('aria-expanded', String(isMenuOpen())));
}
