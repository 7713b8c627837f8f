// Toast after an action that can be undone.

import { make, write } from "/core/dom.js";
import { on } from "/core/store.js";
import { onUndoable, undo } from "/core/undo.js";
import { icon } from "/panels/icons.js";
import { t } from "/texts/texts.js";

/** Time for which a toast is shown, in milliseconds. */
const SHOWN = 10000;
let toast = null;
let shown = null; // the action in the toast
let timer = null;

function remove() {
  clearTimeout(timer);
  toast?.remove();
  toast = null;
}

/** Removes the toast after some time, but not while the user points at it or has focused it. */
function expire() {
  clearTimeout(timer);
  timer = setTimeout(() => (toast?.matches(":hover, :focus-within") ? expire() : remove()), SHOWN);
}

onUndoable((entry) => {
  remove();
  shown = entry;
  const button = make("button", { type: "button", id: "toast-undo", text: "toast.undo" });
  button.addEventListener("click", () => {
    remove();
    undo(entry);
  });
  const close = make("button", { type: "button", class: "plain", label: "dialog.close" }, icon("close"));
  close.addEventListener("click", remove);
  toast = make("div", { id: "toast", role: "status" }, make("span", {}, t(entry.text, entry.params)), button, close);
  document.body.append(toast);
  expire();
});

on(["language"], () => toast && write(toast.firstChild, t(shown.text, shown.params)));
