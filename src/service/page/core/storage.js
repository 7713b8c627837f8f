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

/** Returns the list of [key, value] pairs stored under a name, latest last. */
export function recallEntries(name) {
  try {
    const entries = JSON.parse(recall("local", name));
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

/** Makes [key, value] the latest pair stored under a name, and the only one with this key. At most `limit` pairs remain. */
export function rememberEntry(name, key, value, limit) {
  const entries = [...recallEntries(name).filter(([other]) => other !== key), [key, value]];
  remember("local", name, JSON.stringify(entries.slice(-limit)));
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
