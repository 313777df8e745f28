/**
 * Says beneath a field, and to those who listen, what is wrong with that which was typed into it.
 * @param {HTMLInputElement} field  Described by the element in which it is said.
 * @param {string} text  Empty when nothing is.
 */
export function tellOfField(field, text) {
  const problem = /** @type {HTMLElement} */ (document.getElementById(field.getAttribute('aria-describedby') ?? ''));
  problem.textContent = text;
  problem.hidden = text === '';
  if (text) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}
