/**
 * A copy of the element in a <template> of the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function cloneTemplate(id) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById(id));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  return /** @type {HTMLElement} */ (copy.firstElementChild);
}

/**
 * The element for a selector; throws if the page has none.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {E}
 */
export function find(selector, within = document) {
  const element = within.querySelector(selector);
  if (!element) throw new Error(`The page has no ${selector}`);
  return /** @type {E} */ (element);
}
