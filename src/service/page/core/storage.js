// Browser storage, "local" or "session". Errors are ignored: without storage the page still works.

/** Returns the text stored under a name, or null. */
export function recall(kind, name) {
  try {
    return window[`${kind}Storage`].getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text under a name. Returns false if the browser rejects it (quota, privacy settings). */
export function remember(kind, name, text) {
  try {
    window[`${kind}Storage`].setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

/** Removes a stored text. */
export function forget(kind, name) {
  try {
    window[`${kind}Storage`].removeItem(name);
  } catch {
    // Nothing is stored.
  }
}

/** Returns the names of the stored texts that begin with `prefix`. */
export function storedNames(kind, prefix) {
  try {
    return Object.keys(window[`${kind}Storage`]).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
