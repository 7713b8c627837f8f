// Links that contain a game: its SGF text, compressed, in the fragment of the address, which browsers do not send.

import { write } from "/game/sgf.js";

/** Beginning of the fragment. */
const MARK = "#game=";
/** Maximum size of the text in a link, in bytes. */
const LIMIT = 4 << 20;

/** Passes bytes through a stream of the browser. Throws if the result is longer than `limit`. */
async function through(bytes, stream, limit = Infinity) {
  const parts = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > limit) throw new RangeError(`more than ${limit} bytes`);
    parts.push(value);
  }
}

/** Resolves to a link to this page that contains a game. */
export async function linkOf(game) {
  const packed = await through(new TextEncoder().encode(write(game)), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  const coded = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}${MARK}${coded}`;
}

/** True if a fragment contains a game. */
export const isLink = (hash) => hash.startsWith(MARK);

/** Resolves to the SGF text in a fragment. Throws if it is damaged. */
export async function textOfLink(hash) {
  const letters = atob(hash.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"), LIMIT));
}
