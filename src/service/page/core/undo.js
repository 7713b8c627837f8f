// Undo of actions that lose data. Such an action calls `undoable` after it has been performed.

import { changed } from "/core/store.js";

/** Maximum number of actions that can be undone. */
const LIMIT = 50;
const stack = [];
const listeners = [];

/**
 * Adds an action that can be undone: `text` (text key of what was done), `params` of the text, and `undo`, a function
 * that restores the state before it. A toast with an Undo button is shown; Ctrl+Z undoes the latest action.
 */
export function undoable(entry) {
  stack.push(entry);
  if (stack.length > LIMIT) stack.shift();
  for (const listener of listeners) listener(entry);
  changed("mode");
}

/** Calls `listener(entry)` for each added action. */
export const onUndoable = (listener) => listeners.push(listener);

/** True if an action can be undone. */
export const canUndo = () => stack.length > 0;

/** Undoes `entry`, by default the latest action. Resolves to the entry, or to undefined if there is none. */
export async function undo(entry = stack.at(-1)) {
  const index = stack.indexOf(entry);
  if (index < 0) return undefined;
  stack.splice(index, 1);
  await entry.undo();
  changed("mode");
  return entry;
}
