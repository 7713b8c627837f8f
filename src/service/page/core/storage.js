// Browser storage, "local" or "session". Errors are ignored: without storage the page still works.

/** Returns the text stored under a name, or null. */
export function recall(kind, name) {
  try {
    return window[`${kind}Storage`].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text under a name, unless the browser rejects it (quota, privacy settings). */
export function remember(kind, name, text) {
  try {
    window[`${kind}Storage`].setItem(name, text);
  } catch {
    // There is no fallback.
  }
}
