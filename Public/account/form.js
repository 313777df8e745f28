import { Problem } from '../catalog/problem.js';
import { find } from '../page/template.js';

/**
 * Runs an action when a form is submitted. Meanwhile its button is disabled; a problem is displayed in the form, and the
 * field that it concerns gets the focus.
 * @param {HTMLFormElement} form
 * @param {() => Promise<void>} action
 * @param {{fields?: Record<string, HTMLInputElement>}} how  `fields`: the inputs by the names that problems use.
 */
export function onSubmit(form, action, { fields = {} } = {}) {
  const button = /** @type {HTMLButtonElement} */ (find('[type=submit]', form));
  const problem = form.querySelector('.problem');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    // Space or Enter may have been pressed twice.
    if (button.disabled) return;
    const empty = [...form.querySelectorAll('input[required]')].find((input) => isShown(input) && isEmpty(input));
    show(problem, empty ? 'Fill in this field.' : '');
    for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid');
    if (empty) return mark(/** @type {HTMLInputElement} */ (empty));
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      show(problem, textOf(error));
      const field = error instanceof Problem && error.field ? fields[error.field] : undefined;
      if (field) mark(field);
      else button.focus();
    } finally {
      button.disabled = false;
    }
  });
}

/**
 * Runs an action when a button is pressed. Meanwhile the button is disabled; a problem is displayed.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} problem
 * @param {() => Promise<void>} action
 */
export function onPress(button, problem, action) {
  button.addEventListener('click', async () => {
    show(problem, '');
    button.disabled = true;
    try {
      await action();
    } catch (error) {
      show(problem, textOf(error));
    } finally {
      button.disabled = false;
      // A disabled button loses the focus.
      if (document.activeElement === document.body) button.focus();
    }
  });
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @returns {HTMLInputElement}
 */
export function fieldOf(form, name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/**
 * What to tell a person about an error.
 * @param {unknown} error
 */
export function textOf(error) {
  if (!(error instanceof Problem)) throw error;
  return error.detail || error.title;
}

/** @param {HTMLInputElement} input */
function mark(input) {
  input.setAttribute('aria-invalid', 'true');
  input.focus();
}

/** @param {Element} input */
function isShown(input) {
  return !(/** @type {HTMLInputElement} */ (input).hidden);
}

/** @param {Element} input */
function isEmpty(input) {
  return /** @type {HTMLInputElement} */ (input).value === '';
}

/**
 * @param {Element | null} element
 * @param {string} text
 */
function show(element, text) {
  if (!(element instanceof HTMLElement)) return;
  element.textContent = text;
  element.hidden = text === '';
}
