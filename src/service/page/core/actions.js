// Actions of the user: commands with a button, a shortcut, or both. A module declares its actions with `addAction`; the
// toolbars, the keyboard and the list of shortcuts follow from the declarations.

import { notify } from "/core/store.js";

const declared = new Map();

/**
 * Declares an action:
 * - `id`: id of its button; the text keys are `action.<id>` (button) and `action.<id>.title` (tooltip, optional)
 * - `slot`: toolbar of the button ("menu", "corner", "navigation", "play", "study"), or none; `order` sorts in a slot
 * - `group`: its group in the list of shortcuts, if it has no slot: a toolbar, or "tree"
 * - `icon`: name of an icon in `core/icons.js`
 * - `keys`: list of shortcuts such as ["u"], ["Ctrl+z"], ["Shift+ArrowLeft"]
 * - `listed`: shortcuts that the browser reports as events of their own, for the list of shortcuts
 * - `enabled()`: false while the action is impossible; `pressed()`: state of a switch; `visible()`: false hides it
 * - `name()`: text key of the button, if it depends on the state
 * - `run()`: performs the action
 */
export function addAction(action) {
  declared.set(action.id, { order: 0, keys: [], listed: [], enabled: () => true, ...action });
}

/** All actions, by slot order. */
export const allActions = () => [...declared.values()];

/** Actions with a button in `slot`, sorted. */
export const actionsOf = (slot) => allActions().filter((action) => action.slot === slot).sort((one, two) => one.order - two.order);

/** Returns the action with this id. */
export const actionNamed = (id) => declared.get(id);

/** Performs an action by its id, unless it is disabled. Resolves when it is complete. */
export async function run(id) {
  const action = declared.get(id);
  if (!action?.enabled()) return;
  const result = action.run();
  // The page shows at once what the action has changed so far.
  notify();
  await result;
}

/** Name of the shortcut of a keyboard event, such as "Ctrl+Shift+s". */
function shortcut(event) {
  const { key } = event;
  const single = key.length === 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  // For characters, Shift is part of the character, except for letters.
  if (event.shiftKey && (!single || /^[a-z]$/i.test(key))) parts.push("Shift");
  parts.push(single ? key.toLowerCase() : key);
  return parts.join("+");
}

/** Returns the action of a keyboard event. `letters`: false ignores shortcuts of a single character. */
export function actionOfKey(event, letters) {
  const name = shortcut(event);
  if (!letters && name.length === 1) return undefined;
  return allActions().find(({ keys }) => keys.includes(name));
}
