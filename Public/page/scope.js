/** The part of the page that people can reach now: while a dialog is open everything around it is inert. */
export function presentScope() {
  return [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
}
