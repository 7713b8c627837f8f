// Creation of HTML and SVG elements. Texts are bound to text keys, so that they follow the language.

import { t } from "/texts/texts.js";

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** Attributes that are bound to a text key, with the attribute that shows the text. */
const BOUND = { text: null, label: "aria-label", title: "title", placeholder: "placeholder" };

/**
 * Creates an HTML element. The attributes `text`, `label` (aria-label), `title` and `placeholder` are text keys. Other
 * attributes are set as they are; null and false values are left out. Children are elements or plain text.
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key in BOUND) bind(element, key, value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Creates a button that calls `work` with the event when it is pressed. The attributes and children are those of `make`. */
export function makeButton(attributes, work, ...children) {
  const button = make("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("click", work);
  return button;
}

/** Binds the text or an attribute of `element` to a text key. */
export function bind(element, kind, key) {
  element.setAttribute(`data-${kind}`, key);
  show(element, kind);
}

function show(element, kind) {
  const text = t(element.getAttribute(`data-${kind}`));
  if (kind !== "text") element.setAttribute(BOUND[kind], text);
  else if (element.textContent !== text) element.textContent = text;
}

/** Updates all bound texts of the page. */
export function translate() {
  for (const kind of Object.keys(BOUND)) {
    for (const element of document.querySelectorAll(`[data-${kind}]`)) show(element, kind);
  }
}

/** Creates an SVG element. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Sets the text of an element only if it differs, so that unchanged live regions are not announced again. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
