/** The part of the page that is interactive: an open dialog makes everything around it inert. */
export function presentScope() {
  return [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
}
