// Short texts that identify long ones.

/** Returns a number that depends on all of `text`, in base 36. */
export function fingerprint(text) {
  // FNV-1a.
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
  return (hash >>> 0).toString(36);
}
