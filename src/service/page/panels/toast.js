// Toast after an action that can be undone.

import { make, makeButton, write } from "/core/dom.js";
import { on } from "/core/store.js";
import { onUndoable, undo } from "/core/undo.js";
import { icon } from "/core/icons.js";
import { t } from "/texts/texts.js";

/** Time for which a toast is shown, in milliseconds, and its distance from other elements, in CSS pixels. */
const [SHOWN, GAP] = [10000, 8];
/** What a toast does not cover, because it is about it, or because the user needs it next. */
const KEPT_FREE = "#result, .exercise, #tabs, #confirm, dialog[open] form > .row:last-child";
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
  observer.disconnect();
  for (const element of document.querySelectorAll(KEPT_FREE)) observer.observe(element);
  avoid();
  dialog?.addEventListener("close", () => toast && place(), { once: true });
}

/** Moves the toast up as far as it would cover something that must stay free. */
function avoid() {
  if (!toast) return;
  toast.style.bottom = "";
  const usual = toast.getBoundingClientRect();
  const overlaps = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  const kept = [...document.querySelectorAll(KEPT_FREE)].map((element) => element.getBoundingClientRect()).filter(({ height }) => height > 0);
  let { top } = usual;
  const covered = () => kept.find((other) => overlaps({ left: usual.left, right: usual.right, top, bottom: top + usual.height }, other));
  for (let other = covered(); other; other = covered()) top = other.top - usual.height - GAP;
  // Without any free place, it stays where it is.
  if (top !== usual.top && top >= 0) toast.style.bottom = `${innerHeight - top - usual.height}px`;
}

addEventListener("resize", avoid);
addEventListener("scroll", avoid, { passive: true });
// Panels appear after the action.
const observer = new ResizeObserver(avoid);

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
