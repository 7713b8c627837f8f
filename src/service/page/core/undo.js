// Undo and redo of actions that change or lose data. Such an action calls `undoable` after it has been performed.
//
// Each action has a scope: the game that it changes, "library" for the stored games, or null. Ctrl+Z undoes the latest
// action of the scope on the screen, so that it never changes anything else. Actions without a scope, such as opening
// another game, are undone only by the button of their toast.

import { sayAll } from "/core/message.js";
import { changed } from "/core/store.js";
import { hasText } from "/texts/texts.js";

/** Maximum number of actions that can be undone. */
const LIMIT = 2000;
let done = [];
let undone = [];
const listeners = [];

/**
 * Adds an action that can be undone: `scope`, `text` (text key of what was done, "undone.<name>"; there can be a text
 * "back.<name>" for what is said when it is undone), `params` of the texts, `undo`, which
 * restores the state before it, and `redo`, which performs it again (optional). `applies()` returns false while the
 * action can be neither undone nor redone, because its result is gone. A toast with an Undo button, or one with the
 * text key `button`, is shown unless the action is `quiet`.
 */
export function undoable(entry) {
  undone = undone.filter(({ scope }) => scope !== entry.scope);
  add(entry);
  if (!entry.quiet) for (const listener of listeners) listener(entry, true);
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

/** Calls `listener(entry, true)` for added actions that are not quiet, and `listener(entry, false)` for undone ones. */
export const onUndoable = (listener) => listeners.push(listener);

const latest = (list, scope) => list.findLast((entry) => entry.scope === scope && (entry.applies?.() ?? true));

/** Returns the latest action in a scope that can be undone, or undefined. */
export const lastDone = (scope) => latest(done, scope);
/** Returns the latest undone action in a scope that can be performed again, or undefined. */
export const lastUndone = (scope) => latest(undone, scope);

/** Undoes an action. Resolves to false if it has been undone already. */
export async function undo(entry) {
  if (!done.includes(entry)) return false;
  done = done.filter((one) => one !== entry);
  for (const listener of listeners) listener(entry, false);
  // Before the work, which may have more to say.
  const back = entry.text.replace("undone.", "back.");
  sayAll(hasText(back) ? [[back, entry.params]] : [["said.undoneLast"], [entry.text, entry.params]]);
  await entry.undo();
  if (entry.redo) undone.push(entry);
  changed("mode");
  return true;
}

/** Performs an undone action again. */
export async function redo(entry) {
  undone = undone.filter((one) => one !== entry);
  sayAll([["said.redone"], [entry.text, entry.params]]);
  await entry.redo();
  add(entry);
}
