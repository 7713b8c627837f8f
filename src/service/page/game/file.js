// Game files in requests. The service decodes them, because it knows the character sets and formats of many programs.

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
