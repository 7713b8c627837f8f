// Undo and redo of actions that change or lose data. Such an action calls `undoable` after it has been performed.

import { changed } from "/core/store.js";

/** Maximum number of actions that can be undone. */
const LIMIT = 50;
const done = [];
const undone = [];
const listeners = [];

/**
 * Adds an action that can be undone: `text` (text key of what was done), `params` of the text, `undo`, a function that
 * restores the state before it, and `redo`, a function that performs it again (optional). A toast with an Undo button is
 * shown, unless the action is `quiet`; Ctrl+Z undoes the latest action.
 */
export function undoable(entry) {
  undone.length = 0;
  add(entry);
  if (!entry.quiet) for (const listener of listeners) listener(entry);
}

function add(entry) {
  done.push(entry);
  if (done.length > LIMIT) done.shift();
  changed("mode");
}

/** Performs an action that can be undone; `entry` as for `undoable`, whose `redo` performs it. */
export async function perform(entry) {
  await entry.redo();
  undoable(entry);
}

/** Calls `listener(entry)` for each added action that is not quiet. */
export const onUndoable = (listener) => listeners.push(listener);

/** True if an action can be undone. */
export const canUndo = () => done.length > 0;
/** True if an undone action can be performed again. */
export const canRedo = () => undone.length > 0;

/** Undoes `entry`, by default the latest action. Resolves to the entry, or to undefined if there is none. */
export async function undo(entry = done.at(-1)) {
  const index = done.indexOf(entry);
  if (index < 0) return undefined;
  done.splice(index, 1);
  await entry.undo();
  if (entry.redo) undone.push(entry);
  changed("mode");
  return entry;
}

/** Performs the action again that was undone last. Resolves to its entry, or to undefined if there is none. */
export async function redo() {
  const entry = undone.pop();
  if (!entry) return undefined;
  await entry.redo();
  add(entry);
  return entry;
}
