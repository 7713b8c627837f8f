// Starts games: new ones, games from files or from the service's store, and the game of the last visit.

import { say } from "/core/message.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { keepReplaced, save } from "/game/autosave.js";
import { Clocks, timeLimits } from "/game/clock.js";
import { keptCollection } from "/game/collection.js";
import { readGame, textField } from "/game/file.js";
import { attach } from "/game/review_data.js";
import { answer, end, go, halt, leaveMode, show, stopAnalysis } from "/game/play.js";
import { withoutValues, write } from "/game/sgf.js";
import { claim, discard, put } from "/game/slots.js";
import { state } from "/game/state.js";
import { isOpen, openTab } from "/game/tabs.js";
import { Game, letter, other } from "/game/tree.js";
import { attempt, onReconnected, service } from "/service/service.js";
import { t } from "/texts/texts.js";

/** Returns the user's local date as YYYY-MM-DD, the format of SGF. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/**
 * Starts a new game: `seat` ("black", "white", "both" or "none": who is the user), `level`, `size`, `handicap`, `rules`,
 * `komi`, `clock`.
 */
export async function begin({ seat, level, size, handicap, rules, komi, clock }) {
  let points = [];
  if (handicap > 1) ({ points } = await service.ask("handicap", { size, stones: handicap }));
  const humans = { black: seat === "black" || seat === "both", white: seat === "white" || seat === "both" };
  const name = (color) => {
    if (!humans[color]) return t("player.engine", { level });
    return seat === "both" ? "" : t("player.you");
  };
  const players = { black: name("black"), white: name("white") };
  const game = new Game({ size, komi, rules, handicap, points, date: today(), ...players, info: timeLimits(clock), playing: true });
  const before = state.started ? state.humans : null;
  open(game);
  Object.assign(state, { humans, level, clockSettings: clock, paused: false });
  state.clocks = timed(clock);
  // The other tabs are about games that have been played.
  if (!(state.analysing && isOpen("analysis"))) openTab("game");
  await show();
  sayBegun(seat, before);
  state.clocks.turn(state.game.here.position.color);
  await answer();
}

/** Says which colour the user has, and whether it is another one than `before`, in the previous game if there was one. */
function sayBegun(seat, before) {
  if (seat === "both" || seat === "none") say("said.newGame", { color: state.game.here.position.color });
  else say(before && before.black !== before.white && !before[seat] ? "said.newGameOther" : "said.newGameAs", { color: seat });
}

/** Starts another game with the settings of this one, with the colours exchanged if the user has one of them. */
export async function rematch() {
  const { humans: { black, white }, level, clockSettings, game: { settings: { size, handicap, rules, komi } } } = state;
  const seat = black && white ? "both" : black ? "white" : white ? "black" : "none";
  await attempt(() => begin({ seat: handicap > 1 && seat !== "both" ? (black ? "black" : "white") : seat, level, size, handicap, rules, komi, clock: clockSettings ?? {} }));
}

/** Creates clocks that end the game when a side runs out of time. */
function timed(settings) {
  const lost = (color) => end(`${letter(other(color))}+T`, "said.outOfTime", { color });
  return new Clocks(settings, () => changed("clock"), lost);
}

/** Removes the clocks; the game continues without them. */
export function removeClocks() {
  state.clocks?.turn(null);
  state.clocks = null;
  changed("clock");
}

/** Fields of the state that belong to a game. */
const OWN = ["game", "humans", "level", "lostTurns", "clocks", "clockSettings", "started"];

/**
 * Replaces the current game and resets the state that belongs to it. The replaced game can be restored; unless it is
 * saved elsewhere, it is also kept for later visits.
 */
function open(game, quiet = false) {
  swap({
    game, started: true, lostTurns: { black: 0, white: 0 }, humans: { black: true, white: true }, clocks: null, clockSettings: null,
  }, quiet);
}

/** Replaces the current game by the one with these fields, and offers to go back to it. */
function swap(fields, quiet) {
  const before = Object.fromEntries(OWN.map((name) => [name, state[name]]));
  changed("lost");
  const slot = before.started || before.game.root.children.length > 0 ? keepReplaced(before) : null;
  replace(fields);
  if (before.game.root.children.length === 0) return;
  undoable({
    scope: null, text: slot ? "undone.gameKept" : "undone.game", button: "toast.back", quiet: quiet && !slot,
    undo: () => restore(before, slot),
  });
}

function replace(fields) {
  stopAnalysis();
  halt();
  removeClocks();
  leaveMode();
  Object.assign(state, { hovered: null, preview: null, moment: null }, fields);
  changed("game", "position", "tree", "result", "clock");
}

/**
 * Restores a game that was replaced and kept in `slot`, if that is not null. Its clock starts with the next move. The
 * user can go back to the game that it replaces.
 */
async function restore(fields, slot) {
  swap(fields, false);
  if (slot) discard(slot);
  say("said.restored");
  await show();
  await proceed();
}

/**
 * Opens the game of a file, given as fields of a request. Resolves to the game, the warnings about it, and the titles of
 * all games if the file has several (`others` is the number of the other ones). `quiet`: true shows no message with an
 * Undo button unless the replaced game is unsaved.
 */
export async function read(field, quiet = false) {
  const data = await readGame(field);
  const game = adopt(data, quiet);
  return { game, others: data.others, titles: data.games ?? null, warnings: data.warnings ?? [] };
}

/** Opens a game given as a response to `readGoban`, and returns it. */
function adopt(data, quiet = false) {
  const game = Game.read(data);
  // The file or the service has the game as it is.
  game.saved = withoutValues(write(game));
  open(game, quiet);
  return game;
}

/** Opens a game of the service's store, with its review. */
export async function openStored(id) {
  const { goban, review } = await service.ask("loadGoban", { gobanId: id });
  const { game } = await read(await textField(goban));
  game.gobanId = id;
  if (review) attach(game, review);
  await go(game.line().at(-1));
  save();
  if (game.here.position) say("said.opened");
}

/** Game of the last visit, as long as it could not be loaded. */
let unloaded = null;

/** Loads the game saved at the last visit; its clocks stay stopped. Otherwise shows a greeting. */
export async function resume() {
  unloaded = await claim();
  changed("lost");
  if (unloaded) await loadLast();
  else say("said.welcome");
}

async function loadLast() {
  await load(unloaded);
  unloaded = null;
}

// The page has been opened without a connection.
onReconnected(async () => {
  if (!unloaded || state.started) return;
  await attempt(loadLast);
  await show();
  await proceed();
});

/** Loads a game from the data of a slot, at the node that was shown. */
async function load(data) {
  // Very large games, and those kept by earlier versions, need the service.
  const game = data.record ? adopt(data.record) : (await read(await textField(data.goban))).game;
  let node = game.root;
  for (const index of data.way) node = node.children[index] ?? node;
  game.settings.playing = data.playing;
  game.gobanId = data.gobanId ?? null;
  game.collection = data.collection ? keptCollection(data.collection) : null;
  game.solving = Boolean(data.solving);
  if (data.unsaved) game.saved = null;
  Object.assign(state, { humans: data.humans, level: data.level, lostTurns: data.lostTurns, clockSettings: data.clockSettings ?? null });
  game.go(node);
  if (data.clock) state.clocks = timed(data.clock);
}

/** Opens a game that was kept in the browser. */
export async function recover({ name, data }) {
  await load(data);
  discard(name);
  changed("lost");
  await show();
  save();
  say("said.recovered");
  await proceed();
}

/** Removes a game that was kept in the browser. Can be undone. */
export function discardLost({ name, data }) {
  discard(name);
  changed("lost");
  undoable({
    scope: "library", text: "undone.discard",
    undo: () => {
      put(name, data);
      changed("lost");
    },
  });
}

/** Continues a loaded game: starts the clock, and the engine if it is its turn. */
export async function proceed() {
  const { game, clocks, humans } = state;
  const { here } = game;
  if (!here.position || here.position.ended || game.over) return;
  // When an earlier position is shown, the engine does not move, so its clock must not run.
  const waiting = here.children.length === 0;
  if (waiting || humans[here.position.color]) clocks?.turn(here.position.color);
  if (waiting) await answer();
}
