// Game files in requests. The service decodes them, because it knows the character sets and formats of many programs.
// While it cannot be reached, the page reads SGF files itself.

import { readSgf } from "/game/sgf_reader.js";
import { isConnected, service } from "/service/service.js";

/** Size in bytes from which a file is compressed. A request with a smaller file in base64 is within the service's limit. */
const LARGE = 600000;

/** Resolves to the base64 text of a blob. */
function base64(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(reader.result.split(",")[1] ?? ""));
    reader.addEventListener("error", () => failed(reader.error));
    reader.readAsDataURL(blob);
  });
}

/** Resolves to the field of a request for a file. */
export async function fileField(blob) {
  if (blob.size < LARGE || !window.CompressionStream) return { bytes: await base64(blob) };
  const packed = blob.stream().pipeThrough(new CompressionStream("gzip"));
  return { bytes: await base64(await new Response(packed).blob()) };
}

/** Resolves to the field of a request for SGF text. */
export async function textField(goban) {
  const blob = new Blob([goban]);
  return blob.size < LARGE ? { goban } : fileField(blob);
}

/** Resolves to the contents of a blob, unpacked, in the character set of the file. */
async function decoded(blob) {
  let bytes = new Uint8Array(await blob.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = new Uint8Array(await new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
  const [, name = "utf-8"] = /CA\[([^\]]*)\]/.exec(new TextDecoder("latin1").decode(bytes)) ?? [];
  try {
    return new TextDecoder(name.trim(), { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Resolves to the game of a field of a request, {goban or bytes, game}, as read by the page. */
async function readAlone({ goban, bytes, game }) {
  if (goban !== undefined) return readSgf(goban, game);
  return readSgf(await decoded(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))])), game);
}

/** Resolves to the game of a field of a request, as in the service's response to `readGoban`. */
export async function readGame(field) {
  if (!isConnected()) return readAlone(field);
  return service.ask("readGoban", field).catch((error) => {
    // The connection has been lost just now.
    if (error.code !== "closing") throw error;
    return readAlone(field);
  });
}
