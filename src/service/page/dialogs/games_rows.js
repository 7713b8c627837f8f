// Rows of the list of stored games.

import { byId, make, makeButton, write } from "/core/dom.js";
import { icon } from "/core/icons.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { thumbnail } from "/board/thumbnail.js";
import { openStored } from "/game/begin.js";
import { textField } from "/game/file.js";
import { reviewProgress, reviewStored } from "/game/review.js";
import { state } from "/game/state.js";
import { attempt, service } from "/service/service.js";
import { errorText } from "/texts/errors.js";
import { date as dateText, number, player, result as resultText, t } from "/texts/texts.js";

/** Interval, in positions, at which the progress of a review is announced to screen readers. */
const ANNOUNCED = 10;
/** Progress that was announced last, by the ids of the games under review. */
const announced = new Map();
/** Final positions by the ids of games. */
const boards = new Map();

/** Shows a text in the dialog. */
export const say = (text) => write(byId("games-said"), text);

/** Runs `work` and shows its error, if any, in the dialog. */
export async function attemptHere(work) {
  say("");
  try {
    await work();
  } catch (error) {
    if (!error.code) throw error;
    say(errorText(error));
  }
}

/** Forgets the final positions of games, which may have changed. */
export const forgetThumbnails = () => boards.clear();

/** Returns the name of a player, or of the colour. */
const nameOf = (game, color) => player(game[color]) || t(`color.${color}`);
const playersOf = (game) => `${nameOf(game, "black")} – ${nameOf(game, "white")}${game.date ? `, ${dateText(game.date)}` : ""}`;

/** Creates the row of a game. `removed(game)` is called after the game has been deleted. */
export function rowOf(game, dialog, removed) {
  const { event, date, result, size, moves } = game;
  const cell = (name, text, kind = "") => make("td", { class: `col-${name}` },
    make("span", { class: `clip ${kind}`, "data-color": kind ? name : null }, text || "–"));
  const open = make("button", { type: "button", class: "open picture" }, thumbnail(boards.get(game.gobanId), size));
  const actions = make("td", { class: "col-actions" });
  const row = make("tr", { "data-id": game.gobanId }, make("td", { class: "col-picture" }, open), cell("black", nameOf(game, "black"), "player"), cell("white", nameOf(game, "white"), "player"),
    cell("event", event), cell("date", dateText(date)), cell("result", result && resultText(result)), cell("board", size.join("×")), cell("moves", number(moves)), actions);
  for (const name of ["black", "white"]) row.querySelector(`.col-${name} .clip`).title = nameOf(game, name);
  row.querySelector(".col-event .clip").title = event;
  const button = (kind, work, ...content) => {
    const made = makeButton({ class: kind }, () => attemptHere(work), ...content);
    actions.append(made);
    return made;
  };
  const show = async () => {
    await openStored(game.gobanId);
    dialog.close();
  };
  // The whole row opens the game; the picture does so for keyboards and screen readers.
  row.addEventListener("click", ({ target }) => {
    if (!target.closest("button:not(.open)")) attemptHere(show);
  });
  name(open, "", t("games.open"), game);
  nameReview(button("review", () => review(game)), game);
  const bin = button("delete plain", () => remove(game, removed), icon("remove"));
  name(bin, "", t("games.delete"), game);
  return row;
}

/** Sets the text of a button, if it has one, and its name with the game that it belongs to. */
function name(control, text, label, game) {
  if (text) control.textContent = text;
  control.setAttribute("aria-label", `${label}: ${playersOf(game)}`);
  if (!text) control.title = label;
}

/** Shows the state of a game's review on its button. */
function nameReview(control, game) {
  const progress = reviewProgress(game.gobanId);
  const { positions, of } = progress ?? {};
  const running = of ? t("games.progress", { number: positions, of }) : t("review.starting");
  const text = progress ? running : t(game.reviewed ? "games.reviewed" : "games.review");
  name(control, text, text, game);
  control.classList.toggle("done", game.reviewed && !progress);
  control.disabled = Boolean(progress);
}

/** Shows the progress of the reviews of listed games. */
export function showReviews(games) {
  for (const game of games) {
    const control = document.querySelector(`#games-list [data-id="${game.gobanId}"] .review`);
    if (control) nameReview(control, game);
    const { positions, of } = reviewProgress(game.gobanId) ?? {};
    // Announced to screen readers only at intervals.
    if (!of || positions - (announced.get(game.gobanId) ?? -ANNOUNCED) < ANNOUNCED) continue;
    announced.set(game.gobanId, positions);
    say(t("games.reviewing", { number: positions, of, players: playersOf(game) }));
  }
}

/** Has the service review a game. The review goes on when the dialog is closed. */
async function review(game) {
  try {
    if (!await reviewStored(game.gobanId)) return;
    game.reviewed = true;
    say(t("games.reviewedGame", { players: playersOf(game) }));
  } finally {
    announced.delete(game.gobanId);
    showReviews([game]);
  }
}

/** Deletes a game. Can be undone. */
async function remove(game, removed) {
  let { gobanId } = game;
  const { goban } = await service.ask("loadGoban", { gobanId });
  const erase = () => service.ask("deleteGoban", { gobanId });
  await erase();
  removed(game);
  const change = (work) => () => attempt(async () => {
    await work();
    changed("library");
  });
  undoable({
    scope: "library", text: "undone.deleteGame", params: { players: playersOf(game) }, redo: change(erase),
    undo: change(async () => {
      gobanId = await restore(gobanId, goban);
    }),
  });
}

/** Restores a deleted game with its review. Resolves to its id, which is another one if the service has been restarted. */
async function restore(gobanId, goban) {
  try {
    return (await service.ask("restoreGoban", { gobanId })).gobanId;
  } catch (error) {
    if (error.code !== "notFound") throw error;
    const stored = await service.ask("saveGoban", await textField(goban));
    if (state.game.gobanId === gobanId) state.game.gobanId = stored.gobanId;
    return stored.gobanId;
  }
}

/** Draws the final positions of games into their rows. */
export async function showThumbnails(games, rows) {
  const missing = games.filter(({ gobanId }) => !boards.has(gobanId));
  if (missing.length > 0) {
    const gobanIds = missing.map(({ gobanId }) => gobanId);
    // Without pictures, the list is still useful.
    const response = await service.ask("previewGobans", { gobanIds }).catch(() => null);
    response?.boards.forEach((board, index) => boards.set(gobanIds[index], board));
  }
  rows.forEach((row, index) => {
    const board = boards.get(games[index].gobanId);
    if (board) row.querySelector(".thumbnail").replaceWith(thumbnail(board));
  });
}
