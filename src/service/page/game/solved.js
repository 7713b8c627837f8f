// Problems of files with several that have been solved, kept in the browser.

import { recall, remember } from "/core/storage.js";
import { changed } from "/core/store.js";
import { fingerprint } from "/game/fingerprint.js";

/** Key, and maximum number of files. */
const [KEY, FILES] = ["honinbo-solved", 50];

/** Returns the solved problems of all files, as pairs of a file's fingerprint and the indices of its problems. */
function known() {
  try {
    const entries = JSON.parse(recall("local", KEY));
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

const nameOf = ({ field: { goban, bytes } }) => fingerprint(goban ?? bytes);

/** Returns the set of the indices of the solved problems of a file. */
export function solvedOf(collection) {
  const name = nameOf(collection);
  return new Set(known().find(([key]) => key === name)?.[1]);
}

/** Notes that the current problem of a file has been solved. */
export function markSolved(collection) {
  const name = nameOf(collection);
  const solved = solvedOf(collection).add(collection.index);
  remember("local", KEY, JSON.stringify([...known().filter(([key]) => key !== name), [name, [...solved]]].slice(-FILES)));
  changed("problem");
}
