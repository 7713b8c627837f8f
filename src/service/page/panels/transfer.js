// Games by the file dialog of the browser, by the clipboard, and by dropping files on the page.

import { addAction } from "/core/actions.js";
import { byId, make } from "/core/dom.js";
import { say } from "/core/message.js";
import { openFiles, openText } from "/game/files.js";
import { write } from "/game/sgf.js";
import { state } from "/game/state.js";

/** True if an event belongs to a field in which the user types, or to a dialog. */
const isTyping = ({ target }) => Boolean(target.closest?.("input:not([type=range]), textarea, select, dialog"));

/** Opens the files of a clipboard or of something dropped, or else its text. */
async function receive(transfer) {
  const files = [...transfer.files];
  const text = transfer.getData("text/plain").trim();
  if (files.length > 0) await openFiles(files);
  else if (text) await openText(text);
}

addEventListener("copy", (event) => {
  if (isTyping(event) || String(getSelection())) return;
  event.clipboardData.setData("text/plain", write(state.game));
  event.preventDefault();
  say("said.copied");
});

addEventListener("paste", (event) => {
  if (isTyping(event)) return;
  event.preventDefault();
  receive(event.clipboardData);
});

const input = byId("file");
input.addEventListener("change", async () => {
  await openFiles([...input.files]);
  input.value = "";
});

addAction({ id: "open", slot: "menu", order: 2, icon: "open", keys: ["o", "Ctrl+o"], run: () => input.click() });

const curtain = make("div", { id: "drop", hidden: true }, make("span", { text: "drop.text" }));
byId("dialogs").append(curtain);
/** Number of nested elements over which something is dragged. */
let depth = 0;

function count(step) {
  depth = Math.max(depth + step, 0);
  curtain.hidden = depth === 0;
}

/** True if something is dragged that can be a game, in contrast to parts of the page. */
const carriesGame = ({ dataTransfer }) => [...dataTransfer.types].some((type) => type === "Files" || type === "text/plain");

addEventListener("dragenter", (event) => carriesGame(event) && count(1));
addEventListener("dragleave", (event) => carriesGame(event) && count(-1));
addEventListener("dragover", (event) => carriesGame(event) && event.preventDefault());
addEventListener("drop", (event) => {
  if (!carriesGame(event)) return;
  event.preventDefault();
  count(-depth);
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close("cancel");
  receive(event.dataTransfer);
});
