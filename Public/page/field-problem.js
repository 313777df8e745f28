/**
 * Displays an error below a text field, and associates it with the field for assistive technology.
 * @param {HTMLInputElement} field  `aria-describedby` names the element for the error.
 * @param {string} text  Empty if there is no error.
 */
export function showFieldProblem(field, text) {
  const problem = /** @type {HTMLElement} */ (document.getElementById(field.getAttribute('aria-describedby') ?? ''));
  problem.textContent = text;
  problem.hidden = text === '';
  if (text) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}
