// Problems of files with several that have been solved, kept in the browser.

import { recallEntries, rememberEntry } from "/core/storage.js";
import { changed } from "/core/store.js";

/** Name of the pairs of a file's id and the indices of its solved problems, and maximum number of files. */
const [KEY, FILES] = ["honinbo-solved", 50];

/** Returns the set of the indices of the solved problems of a file. */
export function solvedOf(collection) {
  return new Set(recallEntries(KEY).find(([key]) => key === collection.id)?.[1]);
}

/** Notes that the current problem of a file has been solved. */
export function markSolved(collection) {
  const solved = solvedOf(collection).add(collection.index);
  rememberEntry(KEY, collection.id, [...solved], FILES);
  changed("problem");
}
