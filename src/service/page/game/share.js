// Links that contain a game: its SGF text, compressed, in the fragment of the address, which browsers do not send, and
// the position that was shown.

import { write } from "/game/sgf.js";

/** Beginning of the fragment, and of the part about the position. */
const [MARK, PLACE] = ["#game=", "&at="];
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

/**
 * Returns the place of the current node as text: its depth and, where the way there does not follow the first child, the
 * depth and the index of the other one, such as "40,12:1".
 */
function placeOf({ way }) {
  return [way.length, ...way.flatMap((index, depth) => (index > 0 ? [`${depth}:${index}`] : []))].join(",");
}

/** Returns the node of a game that the fragment of a link describes, or the last one before it that exists. */
export function nodeOfLink(hash, game) {
  const [depth = "0", ...steps] = (hash.split(PLACE)[1] ?? "").split(",");
  const indices = new Map(steps.map((step) => step.split(":").map(Number)));
  let node = game.root;
  for (let at = 0; at < Number(depth); at += 1) node = node.children[indices.get(at) ?? 0] ?? node;
  return node;
}

/** Resolves to a link to this page that contains a game and its current position. */
export async function linkOf(game) {
  const packed = await through(new TextEncoder().encode(write(game)), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  const coded = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${location.origin}${location.pathname}${MARK}${coded}${PLACE}${placeOf(game)}`;
}

/** True if a fragment contains a game. */
export const isLink = (hash) => hash.startsWith(MARK);

/** Resolves to the SGF text in a fragment. Throws if it is damaged. */
export async function textOfLink(hash) {
  const letters = atob(hash.slice(MARK.length).split(PLACE)[0].replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"), LIMIT));
}
