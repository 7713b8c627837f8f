// Starts games: new ones, games from files or from the service's store, and the game of the last visit.

import { Clocks } from "/clock.js";
import { answer, end, go, halt } from "/course.js";
import { Games } from "/dialogs.js";
import { textField } from "/file.js";
import { Game, letter, other } from "/game.js";
import { showClock } from "/panels.js";
import { show } from "/show.js";
import { capital, kept, say, service, state } from "/state.js";

const byId = (id) => document.getElementById(id);

/** Returns the user's local date as YYYY-MM-DD, the format of SGF. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Starts a new game with the settings of the new-game dialog. */
export async function begin({ seat, level, size, handicap, rules, komi, clock }) {
  let points = [];
  if (handicap > 1) ({ points } = await service.ask("handicap", { size, stones: handicap }));
  const humans = { black: seat === "black" || seat === "both", white: seat === "white" || seat === "both" };
  const name = (color) => (humans[color] ? "You" : `Honinbo, level ${level}`);
  const game = new Game({ size, komi, rules, handicap, points, date: today(), black: name("black"), white: name("white"), playing: true });
  // If the service cannot be reached, the current game stays open.
  game.root.stand = await service.ask("position", game.position());
  open(game);
  Object.assign(state, { humans, level });
  state.clocks = timed(clock);
  await show();
  say(`A new game. ${capital(state.game.here.stand.color)} to play.`);
  state.clocks.turn(state.game.here.stand.color);
  await answer();
}

/** Creates clocks that end the game when a side runs out of time. */
function timed(settings) {
  const lost = (color) => end(`${letter(other(color))}+T`, `${capital(color)} has run out of time.`);
  return new Clocks(settings, showClock, lost);
}

/** Removes the clocks; the game continues without them. */
export function untimed() {
  state.clocks?.turn(null);
  state.clocks = null;
  for (const color of ["black", "white"]) showClock(color, "");
}

/** Replaces the current game and resets the state that belongs to it. */
function open(game) {
  state.stop?.();
  halt();
  untimed();
  byId("comment").blur();
  Object.assign(state, {
    game, begun: true, mode: "play", hovered: null, stop: null, commented: null,
    lostTurns: { black: 0, white: 0 }, humans: { black: true, white: true },
  });
}

/**
 * Opens the first game of a file, given as a field of a request. Resolves to the game, the number of other games in the
 * file, and the warnings about it.
 */
export async function read(field) {
  const told = await service.ask("readGoban", field);
  const game = Game.read(told);
  open(game);
  return { game, others: told.others, warnings: told.warnings ?? [] };
}

/** Stores the values of a review in the nodes of a line. */
function valued(line, { positions, moves: [first] }) {
  const made = line.filter(({ move }) => move);
  // Older reviews start after the last set-up, with the position before the first move.
  const reviewed = first ? made.slice(first.number - 1) : [];
  const before = made.length > 0 ? reviewed[0]?.parent : line.at(-1);
  // If the first move is in the root node, the position before it has no node.
  [before, ...reviewed].forEach((node, index) => {
    const found = positions[index];
    if (node && found) node.value = { winrate: found.winrate, lead: found.scoreLead };
  });
}

/** Dialog of the stored games. */
export const games = new Games(service, async (id) => {
  const { goban, review } = await service.ask("loadGoban", { gobanId: id });
  const { game } = await read(await textField(goban));
  if (review) valued(game.line(), review);
  await go(game.line().at(-1));
  if (game.here.stand) say("Opened.");
});

/** Loads the game saved at the last visit; its clocks stay stopped. Otherwise shows a greeting. */
export async function resume() {
  const last = kept();
  if (!last) {
    say("You play Black. Choose a point, or start another game.");
    return;
  }
  const { game } = await read(await textField(last.goban));
  let node = game.root;
  for (const index of last.way) node = node.children[index] ?? node;
  game.settings.playing = last.playing;
  Object.assign(state, { humans: last.humans, level: last.level, lostTurns: last.lostTurns });
  game.go(node);
  if (last.clock) state.clocks = timed(last.clock);
}

/** Continues a loaded game: starts the clock, and the engine if it is its turn. */
export async function goOn() {
  const { game, clocks, humans } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  // When an earlier position is shown, the engine does not move, so its clock must not run.
  const waiting = here.children.length === 0;
  if (waiting || humans[here.stand.color]) clocks?.turn(here.stand.color);
  if (waiting) await answer();
}
