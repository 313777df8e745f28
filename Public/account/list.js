/**
 * One entry of a list: a text, a note below it, and what can be done with it.
 * @param {string} text
 * @param {string} note
 * @param {HTMLElement[]} [actions]
 */
export function entry(text, note, actions = []) {
  const item = document.createElement('li');
  const words = document.createElement('div');
  const title = document.createElement('strong');
  title.textContent = text;
  const below = document.createElement('span');
  below.textContent = note;
  words.append(title, below);
  item.append(words, ...actions);
  return item;
}

/**
 * @param {string} text
 * @param {() => void} action
 * @param {string} [label]  For assistive technology, where the text alone does not say what it acts on.
 */
export function button(text, action, label) {
  const made = document.createElement('button');
  made.type = 'button';
  made.textContent = text;
  if (label) made.setAttribute('aria-label', label);
  made.addEventListener('click', action);
  return made;
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** @param {number} seconds  Since 1970. */
export function timeText(seconds) {
  return moment.format(seconds * 1_000);
}

/** @param {number} seconds  Since 1970. */
export function dateText(seconds) {
  return day.format(seconds * 1_000);
}
