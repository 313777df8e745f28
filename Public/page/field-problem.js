/**
 * Displays an error below a text field, and associates it with the field for assistive technology.
 * @param {HTMLInputElement} field  `aria-describedby` names the element for the error.
 * @param {string} text  Empty if there is no error.
 * @param {{isInvalid?: boolean}} how  Whether the error lies in what the user typed.
 */
export function showFieldProblem(field, text, { isInvalid = true } = {}) {
  const problem = /** @type {HTMLElement} */ (document.getElementById(field.getAttribute('aria-describedby') ?? ''));
  problem.textContent = text;
  problem.hidden = text === '';
  if (text && isInvalid) field.setAttribute('aria-invalid', 'true');
  else field.removeAttribute('aria-invalid');
}

/**
 * Whether an error in what the user typed is displayed.
 * @param {HTMLElement} field
 */
export function isFieldInvalid(field) {
  return field.hasAttribute('aria-invalid');
}
