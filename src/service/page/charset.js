// From the bytes of a game file to text, as the program itself reads files: what is plainly UTF-8 is, whatever it names.

/** How far into the file the name of its character set is looked for. */
const NAME_WITHIN = 65536;
/** Character sets in which several bytes are a letter: their text is seldom valid UTF-8 too, but it happens. */
const OF_SEVERAL_BYTES = /^(gb|big5|euc|iso-2022|ks|korean|ms_kanji|shift|sjis|windows-31j|windows-949|x-)/i;

const OF_TWO_BYTES = /^(utf-?16|unicode|ucs-?2|csunicode|iso-10646-ucs-2)/i;

/** The text of these bytes. */
export function decoded(bytes) {
  const read = (name, fatal) => {
    try {
      return new TextDecoder(name, { fatal }).decode(bytes);
    } catch {
      return null;
    }
  };
  const start = new Uint8Array(bytes.slice(0, 2));
  if (start[0] === 0xff && start[1] === 0xfe) return read("utf-16le", false);
  if (start[0] === 0xfe && start[1] === 0xff) return read("utf-16be", false);
  const head = new TextDecoder("latin1").decode(bytes.slice(0, NAME_WITHIN));
  const named = /\bCA\s*\[\s*([^\]\s]+)/.exec(head)?.[1];
  const utf8 = read("utf-8", true);
  // What names one of two bytes a letter byte by byte has another.
  if (!named || OF_TWO_BYTES.test(named) || /^utf-?8$/i.test(named)) return utf8 ?? read("latin1", false);
  const strict = read(named, true);
  const plain = OF_SEVERAL_BYTES.test(named) ? /[\u0800-\uffff]/ : /[\u0080-\uffff]/;
  if (utf8 !== null && (strict === null || plain.test(utf8))) return utf8;
  return strict ?? read(named, false) ?? read("latin1", false);
}
