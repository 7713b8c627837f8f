// Actions for game files and for the games stored by the service.

import { addAction } from "/core/actions.js";
import { byId, make } from "/core/dom.js";
import { say, sayAll } from "/core/message.js";
import { read } from "/game/begin.js";
import { fileField, textField } from "/game/file.js";
import { go } from "/game/play.js";
import { write } from "/game/sgf.js";
import { state } from "/game/state.js";
import { attempt, service } from "/service/service.js";

/** Offers an SGF text to the user as a file download. */
export function download(name, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Returns a file name for a game, such as "2026-11-28 Ada-Ben.sgf". */
function fileName({ settings: { date, black, white } }) {
  const name = [date, [black, white].filter(Boolean).join("-")].filter(Boolean).join(" ");
  // Characters that file systems reserve, and control characters.
  return `${name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, "_").slice(0, 80) || "game"}.sgf`;
}

/** Opens a game file. */
export async function openFile(file) {
  await attempt(async () => {
    const { game, others, warnings } = await read(await fileField(file));
    await go(game.root);
    if (!game.here.position) return;
    const texts = [others > 0 ? ["said.openedFirst", { name: file.name, count: others + 1 }] : ["said.openedFile", { name: file.name }]];
    if (warnings.length > 0) {
      texts.push(["said.warning", { text: warnings[0].message }]);
      if (warnings.length > 1) texts.push(["said.moreWarnings", { n: warnings.length - 1 }]);
    }
    sayAll(texts);
  });
}

/** Saves the game on the service. */
export const keep = () => attempt(async () => {
  const { gobanId, new: fresh } = await service.ask("saveGoban", await textField(write(state.game)));
  say(fresh ? "said.saved" : "said.savedAlready", { id: String(gobanId) });
  return gobanId;
});

const input = byId("file");
input.addEventListener("change", async () => {
  const [file] = input.files;
  if (file) await openFile(file);
  input.value = "";
});

addAction({ id: "open", slot: "menu", order: 2, icon: "open", keys: ["o", "Ctrl+o"], run: () => input.click() });
addAction({ id: "save-file", slot: "menu", order: 3, icon: "download", keys: ["Ctrl+s"], run: () => download(fileName(state.game), write(state.game)) });
addAction({ id: "keep", slot: "menu", order: 4, icon: "save", run: () => keep() });
