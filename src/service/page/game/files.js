// Game files and texts: opening, downloading, copying, and links.

import { addAction } from "/core/actions.js";
import { make } from "/core/dom.js";
import { say, sayAll } from "/core/message.js";
import { changed } from "/core/store.js";
import { isPureProblem } from "/game/answers.js";
import { save } from "/game/autosave.js";
import { read } from "/game/begin.js";
import { collectionOf } from "/game/collection.js";
import { fileField, textField } from "/game/file.js";
import { keep } from "/game/library.js";
import { go } from "/game/play.js";
import { write } from "/game/sgf.js";
import { isLink, nodeOfLink, textOfLink } from "/game/share.js";
import { state } from "/game/state.js";
import { attempt, isConnected, service } from "/service/service.js";
import { errorText } from "/texts/errors.js";

/** Offers an SGF text to the user as a file download. */
export function download(name, text) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Returns a file name for a game, such as "2026-11-28 Ada–Ben.sgf". */
export function fileName({ settings: { date, black, white } }) {
  const name = [date, [black, white].filter(Boolean).join("–")].filter(Boolean).join(" ");
  // Characters that file systems reserve, and control characters.
  const safe = [...name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, "_")].slice(0, 80).join("").trim();
  return `${safe || "game"}.sgf`;
}

/**
 * Opens the game in a field of a request. `texts(count, isProblems)`: texts about it, from the number of games in the
 * file and whether they are problems. `collection`: the file, if it is known to have several games (see `collection.js`).
 * `find(game)`: the node to show.
 */
async function open(field, texts, { collection = null, find = (game) => game.root } = {}) {
  await attempt(async () => {
    const { game, others, titles, warnings } = await read(field, Boolean(collection));
    game.collection = collection ?? (titles && collectionOf(field, titles, isPureProblem(game)));
    await go(find(game));
    save();
    if (titles) changed("collection");
    if (!game.here.position) return;
    const said = texts(others + 1, game.collection?.isProblems);
    if (warnings.length > 0) {
      said.push(["said.warning", { text: errorText(warnings[0]).replace(/[.。]$/, "") }]);
      if (warnings.length > 1) said.push(["said.moreWarnings", { n: warnings.length - 1 }]);
    }
    sayAll(said);
  });
}

/** Opens a game file. */
export async function openFile(file) {
  const { name } = file;
  await open(await fileField(file), (count, isProblems) => [
    count === 1 ? ["said.openedFile", { name }] : [isProblems ? "said.openedProblems" : "said.openedFirst", { name, count }]]);
}

/** Opens the game with this index of the file from which the current game was read. */
export function openOther(index) {
  const { collection } = state.game;
  const count = collection.titles.length;
  const texts = (_, isProblems) => [[isProblems ? "said.openedProblem" : "said.openedNumber", { number: index + 1, count }]];
  return open({ ...collection.field, game: index }, texts, { collection: { ...collection, index } });
}

/** Opens a game file, or stores several files among the user's games. */
export async function openFiles(files) {
  if (files.length === 1) await openFile(files[0]);
  else if (files.length > 1) await attempt(async () => importAll(await Promise.all(files.map(fileField))));
}

/** Stores all games of the files in `fields`, and shows how many there are. Games that are not readable are counted. */
export async function importAll(fields) {
  let [stored, unreadable] = [0, 0];
  for (const field of fields) {
    try {
      const found = await service.ask("saveCollection", field);
      stored += found.stored;
      unreadable += found.unreadable;
    } catch (error) {
      if (!error.code || error.code === "closing") throw error;
      unreadable += 1;
    }
  }
  changed("library");
  sayAll([["said.imported", { n: stored }], ...(unreadable > 0 ? [["said.unreadable", { n: unreadable }]] : [])], unreadable > 0 ? "error" : "info");
}

/** True if a text is an address without a game in it. */
export const isAddress = (text) => /^https?:\/\/\S+$/.test(text.trim()) && !isLink(new URL(text.trim()).hash);

/** Opens a game given as text, of a clipboard for example. `find(game)`: the node to show, by default the first one. */
export async function openText(text, find) {
  if (isAddress(text)) {
    say("said.address", {}, "error");
    return;
  }
  const [link] = /#\S+$/.exec(text) ?? [];
  if (link && isLink(link)) {
    await openGameOf(link);
    return;
  }
  // Only SGF is sent as text; for other formats, the service looks at the bytes of a file.
  const field = text.includes("(;") ? await textField(text) : await fileField(new Blob([text]));
  await open(field, (count, isProblems) => [count === 1 ? ["said.opened"] : [isProblems ? "said.openedProblemsText" : "said.openedFirstText", { count }]], { find });
}

/** Opens the game in the address of the page, if there is one. The address then no longer contains it. */
export async function openLink() {
  const { hash } = location;
  if (!isLink(hash)) return;
  history.replaceState(null, "", location.pathname + location.search);
  await openGameOf(hash);
}

/** Opens the game in the last part of a link. */
async function openGameOf(link) {
  try {
    await openText(await textOfLink(link), (game) => nodeOfLink(link, game));
  } catch {
    say("said.wrongLink", {}, "error");
  }
}

/** Copies a text to the clipboard. Resolves to false if the browser does not permit it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers have the clipboard only for pages of this computer or with encryption. This is the older way.
    const field = make("textarea", { class: "unseen" });
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** Copies SGF text and shows that it has been copied. */
async function copyGame(text, key) {
  if (await copy(text)) say(key);
  else say("said.notCopied", {}, "error");
}

addEventListener("hashchange", openLink);

addAction({ id: "save-file", slot: "menu", order: 3, icon: "download", keys: ["Ctrl+s"], run: () => download(fileName(state.game), write(state.game)) });
addAction({ id: "keep", slot: "menu", order: 4, icon: "save", enabled: isConnected, run: () => keep() });
addAction({ id: "copy", group: "menu", icon: "copy", listed: ["Ctrl+c"], run: () => copyGame(write(state.game), "said.copied") });
addAction({ id: "copy-line", icon: "copy", run: () => copyGame(write(state.game, state.game.line()), "said.copiedLine") });
