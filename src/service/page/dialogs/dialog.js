// Modal dialogs.

import { byId, make, makeButton } from "/core/dom.js";
import { icon } from "/core/icons.js";

/**
 * Creates a dialog with a title (a text key), a close button and a form, and returns the dialog. Buttons with
 * `value="start"` confirm.
 */
export function createDialog(id, title, ...content) {
  const close = makeButton({ class: "plain", label: "dialog.close" }, () => dialog.close("cancel"), icon("close"));
  const head = make("div", { class: "row spread dialog-head" }, make("h2", { id: `${id}-title`, text: title }), close);
  const form = make("form", { method: "dialog" }, head, ...content);
  form.querySelector("select, input, textarea")?.setAttribute("autofocus", "");
  const dialog = make("dialog", { id, "aria-labelledby": `${id}-title` }, form);
  // A click on the backdrop closes the dialog.
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target !== dialog) return;
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (!inside) dialog.close("cancel");
  });
  byId("dialogs").append(dialog);
  return dialog;
}

/** Creates a button that closes its dialog. Enter in a field never presses it. */
export function closeButton(text = "dialog.close") {
  return makeButton({ value: "cancel", text }, ({ currentTarget }) => currentTarget.closest("dialog").close("cancel"));
}

/** Creates the last row of a dialog: a button to cancel, and the one that confirms, which Enter in a field presses. */
export const confirmRow = (text) => make("div", { class: "row end" }, closeButton("dialog.cancel"), make("button", { value: "start", class: "main", text }));

/** Opens a dialog and waits until it is closed. Resolves to true if it was confirmed. */
export function opened(dialog) {
  dialog.returnValue = "cancel";
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "start"), { once: true });
  });
}

/** Creates a labelled field: its label (a text key) and its control. */
export const field = (text, ...controls) => make("label", { class: "field" }, make("span", { text }), ...controls);

/**
 * Creates a group of radio buttons that look like one divided button: options [value, text key or null, text, icon].
 * `label` is the text key of its name.
 */
export function choice(name, label, options) {
  return make("div", { class: "choice", role: "radiogroup", label }, ...options.map(([value, key, text, ...pictures]) => make("label", {},
    make("input", { type: "radio", name, value }), ...pictures, key ? make("span", { text: key }) : make("span", {}, text))));
}

/** Creates a select box with options [value, text key or null, text]. */
export function select(attributes, options) {
  return make("select", attributes, ...options.map(([value, key, text]) => (
    key ? make("option", { value, text: key }) : make("option", { value }, text ?? String(value)))));
}
