// Toast after an action that can be undone.

import { make, makeButton, write } from "/core/dom.js";
import { on } from "/core/store.js";
import { onUndoable, undo } from "/core/undo.js";
import { icon } from "/core/icons.js";
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

/** Shows the toast in the open dialog, because everything else is inert, and below the page when it is closed. */
function place() {
  const dialog = document.querySelector("dialog[open]");
  (dialog ?? document.body).append(toast);
  dialog?.addEventListener("close", () => toast && place(), { once: true });
}

onUndoable((entry, isDone) => {
  // The toast of an action that has been undone by other means offers nothing.
  if (isDone || entry === shown) remove();
  if (!isDone) return;
  shown = entry;
  const button = makeButton({ id: "toast-undo", text: entry.button ?? "toast.undo" }, () => {
    remove();
    undo(entry);
  });
  const close = makeButton({ class: "plain", label: "dialog.close" }, remove, icon("close"));
  toast = make("div", { id: "toast", role: "status" }, make("span", {}, t(entry.text, entry.params)), button, close);
  place();
  expire();
});

on(["language"], () => toast && write(toast.firstChild, t(shown.text, shown.params)));
