// Decodes game files in the same way as the engine does (src/sgf/charset.rs). The encoding is, in order of precedence:
// the one of a byte order mark, the one named by the file, UTF-8, Latin-1. Text that is clearly UTF-8 is read as such,
// whatever the file names.

/** Number of bytes at the start of a file that are searched for the name of the encoding. */
const NAME_WITHIN = 65536;
/** Byte order marks. */
const MARKS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];
/** Multi-byte encodings. Short texts in them can happen to be valid UTF-8. */
const OF_SEVERAL_BYTES = /^(gb|big5|euc|iso-2022|shift)/;

/**
 * Returns the browser's name of an encoding. Returns null for unknown encodings, for UTF-8, and for UTF-16, because its
 * name could not be read byte by byte.
 */
function characterSet(name) {
  try {
    const { encoding } = new TextDecoder(name);
    return encoding.startsWith("utf-") ? null : encoding;
  } catch {
    return null;
  }
}

/**
 * True if more non-ASCII characters were decoded than failed. A single truncated character does not make a text
 * Latin-1.
 */
function isMostlyWhole(text) {
  const letters = text.match(/[^\0-\x7f]/gu) ?? [];
  const broken = letters.filter((letter) => letter === "\ufffd").length;
  return letters.length > 2 * broken;
}

/** Decodes the bytes of a game file. */
export function decoded(bytes) {
  const read = (name, fatal = false) => {
    try {
      return new TextDecoder(name, { fatal }).decode(bytes);
    } catch {
      return null;
    }
  };
  const start = new Uint8Array(bytes.slice(0, 3));
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => start[at] === byte));
  if (marked) return read(marked[0]);
  const head = new TextDecoder("latin1").decode(bytes.slice(0, NAME_WITHIN));
  const named = characterSet(/\bCA\s*\[\s*([^\]\s]+)/.exec(head)?.[1] ?? "");
  const utf8 = read("utf-8", true);
  if (!named) {
    if (utf8 !== null) return utf8;
    const mended = read("utf-8");
    return isMostlyWhole(mended) ? mended : read("latin1");
  }
  const strict = read(named, true);
  const plain = OF_SEVERAL_BYTES.test(named) ? /[\u0800-\uffff]/ : /[\u0080-\uffff]/;
  if (utf8 !== null && (strict === null || plain.test(utf8))) return utf8;
  return strict ?? read(named);
}
