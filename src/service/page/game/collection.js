// The file with several games from which the current game was read. A copy is kept for reloads of the page, until the tab
// is closed.

import { recall, remember } from "/core/storage.js";
import { on } from "/core/store.js";
import { fingerprint } from "/game/fingerprint.js";
import { state } from "/game/state.js";

/** Name of the copy in the session storage, and maximum length of its text. */
const [NAME, LONGEST] = ["honinbo-collection", 1000000];

/**
 * Returns a collection: `field` of a request with the file, `titles` of all games, `index` of the current one, `id` (the
 * same for the same file), `isProblems` (true if the first game is a problem), and `goals`: what the problems that have
 * been looked at ask for, {color, goal} by index.
 */
export function collectionOf(field, titles, isProblems) {
  return { field, titles, index: 0, id: fingerprint(field.goban ?? field.bytes), isProblems, goals: {} };
}

/** Notes what the current problem of a file asks for. */
export function noteGoal(collection, color, goal) {
  if (collection.goals[collection.index]?.goal === goal) return;
  collection.goals[collection.index] = { color, goal };
  write(collection);
}

/** Id of the collection that has a copy. */
let kept = null;

function write(collection) {
  const { index, ...file } = collection;
  const text = JSON.stringify(file);
  if (text.length <= LONGEST && remember("session", NAME, text)) kept = collection.id;
}

/** Returns the collection with this id, at its game with this index, if there is a copy of it; otherwise null. */
export function keptCollection({ id, index }) {
  try {
    const file = JSON.parse(recall("session", NAME));
    if (file?.id !== id || !file.titles[index]) return null;
    kept = id;
    return { ...file, index };
  } catch {
    return null;
  }
}

on(["game", "collection"], () => {
  const { collection } = state.game;
  if (collection && collection.id !== kept) write(collection);
});
