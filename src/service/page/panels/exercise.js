// What the panels of all exercises have in common.

import { make } from "/core/dom.js";

/**
 * Fills the panel of the exercise `id` with a title, a text that screen readers announce, and a row of buttons. Returns
 * the elements of the title and of the text, which are empty.
 */
export function fillExercise(root, id, ...buttons) {
  root.classList.add("exercise");
  const title = make("h2", {});
  const text = make("p", { id: `${id}-text`, role: "status" });
  root.append(title, text, make("div", { class: "row" }, ...buttons));
  return { title, text };
}

/** Scrolls the page so that the panel of an exercise is visible, below the board. */
export function bringIntoView(root) {
  if (root.hidden) return;
  root.scrollIntoView({ block: "nearest" });
}
