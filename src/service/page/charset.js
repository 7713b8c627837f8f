// From the bytes of a game file to text, as the program itself reads files (src/sgf/charset.rs): by a byte order mark, by
// the character set that the file names, as UTF-8, as Latin-1, in this order; but what is plainly UTF-8 is, whatever it names.

/** How far into the file the name of its character set is looked for. */
const NAME_WITHIN = 65536;
/** Byte order marks. */
const MARKS = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];
/** Character sets in which several bytes are a letter: their text is seldom valid UTF-8 too, but it happens. */
const OF_SEVERAL_BYTES = /^(gb|big5|euc|iso-2022|shift)/;

/** The character set of that name, as browsers call it; none for UTF-8 and for what would not name itself byte by byte. */
function characterSet(name) {
  try {
    const { encoding } = new TextDecoder(name);
    return encoding.startsWith("utf-") ? null : encoding;
  } catch {
    return null;
  }
}

/** Whether more letters beyond ASCII are whole than broken: one that was cut in two does not make the others Latin-1. */
function isMostlyWhole(text) {
  const letters = text.match(/[^\0-\x7f]/gu) ?? [];
  const broken = letters.filter((letter) => letter === "\ufffd").length;
  return letters.length > 2 * broken;
}

/** The text of these bytes. */
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
