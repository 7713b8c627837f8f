// What the browser keeps for the page, in the "local" or "session" storage. It may refuse; the page then goes without.

/** The text kept under a name, or null. */
export function recall(kind, name) {
  try {
    return window[`${kind}Storage`].getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text under a name, if there is room and leave for it. */
export function remember(kind, name, text) {
  try {
    window[`${kind}Storage`].setItem(name, text);
  } catch {
    // There is no other place for it.
  }
}
