// Dialog for pasting a game as text. Opens only if the page may not read the clipboard.

import { addAction } from "/core/actions.js";
import { make } from "/core/dom.js";
import { confirmRow, createDialog, opened } from "/dialogs/dialog.js";
import { isAddress, openText } from "/game/files.js";
import { t } from "/texts/texts.js";

let dialog = null;
let field;

function build() {
  field = make("textarea", { id: "paste-text", rows: 8, required: true, placeholder: "paste.example" });
  // The dialog stays open with the text, and the browser shows the message.
  field.addEventListener("input", () => field.setCustomValidity(isAddress(field.value) ? t("said.address") : ""));
  dialog = createDialog("paste-dialog", "paste.title", make("label", { class: "stacked" }, make("span", { text: "paste.label" }), field),
    confirmRow("paste.open"));
}

/** Resolves to the text of the clipboard, or to one that the user enters; null if there is none. */
async function clipboardText() {
  try {
    const text = await navigator.clipboard.readText();
    if (text.trim()) return text;
  } catch {
    // The browser does not permit it.
  }
  if (!dialog) build();
  field.value = "";
  return await opened(dialog) && field.value.trim() ? field.value : null;
}

addAction({
  id: "paste", group: "menu", icon: "paste", listed: ["Ctrl+v"],
  run: async () => {
    const text = await clipboardText();
    if (text) await openText(text.trim());
  },
});
