// How games begin: new ones, those of files and of the service, and the one of the last visit.

import { Clocks } from "/clock.js";
import { answer, end, go, halt } from "/course.js";
import { Games } from "/dialogs.js";
import { Game, letter, other } from "/game.js";
import { showClock } from "/panels.js";
import { show } from "/show.js";
import { capital, kept, say, service, state } from "/state.js";

const byId = (id) => document.getElementById(id);

/** The date where the user is, as game files have it. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Begins a new game. */
export async function begin({ seat, level, size, handicap, rules, komi, clock }) {
  let points = [];
  if (handicap > 1) ({ points } = await service.ask("handicap", { size, stones: handicap }));
  const humans = { black: seat === "black" || seat === "both", white: seat === "white" || seat === "both" };
  const name = (color) => (humans[color] ? "You" : `Honinbo, level ${level}`);
  const game = new Game({ size, komi, rules, handicap, points, date: today(), black: name("black"), white: name("white"), playing: true });
  // The game there is stays where the service does not answer.
  game.root.stand = await service.ask("position", game.position());
  open(game);
  Object.assign(state, { humans, level });
  state.clocks = timed(clock);
  await show();
  say(`A new game. ${capital(state.game.here.stand.color)} to play.`);
  state.clocks.turn(state.game.here.stand.color);
  await answer();
}

/** Clocks that end the game of whoever runs out of time. */
function timed(settings) {
  const lost = (color) => end(`${letter(other(color))}+T`, `${capital(color)} has run out of time.`);
  return new Clocks(settings, showClock, lost);
}

/** Goes on without clocks. */
export function untimed() {
  state.clocks?.turn(null);
  state.clocks = null;
  for (const color of ["black", "white"]) showClock(color, "");
}

/** Takes another game up. */
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

/** Takes the first game of a file up; `others` is how many more there are. */
export async function read(goban) {
  const told = await service.ask("readGoban", { goban });
  const game = Game.read(told);
  open(game);
  return { game, others: told.others };
}

/** Gives the nodes of a line the values of its review. */
function valued(line, { positions, moves: [first] }) {
  const made = line.filter(({ move }) => move);
  // A review begins where stones were set up last, with the position before the move that follows.
  const reviewed = first ? made.slice(first.number - 1) : [];
  const before = made.length > 0 ? reviewed[0]?.parent : line.at(-1);
  // A move in the root has no node before it.
  [before, ...reviewed].forEach((node, index) => {
    const found = positions[index];
    if (node && found) node.value = { winrate: found.winrate, lead: found.scoreLead };
  });
}

export const games = new Games(service, async (id) => {
  const { goban, review } = await service.ask("loadGoban", { gobanId: id });
  const { game } = await read(goban);
  if (review) valued(game.line(), review);
  await go(game.line().at(-1));
  if (game.here.stand) say("Opened.");
});

/** Goes on with the game of the last visit. */
export async function resume() {
  const last = kept();
  if (!last) {
    say("You have Black. Choose a point, or begin another game.");
    return;
  }
  const { game } = await read(last.goban);
  let node = game.root;
  for (const index of last.way) node = node.children[index] ?? node;
  game.settings.playing = last.playing;
  Object.assign(state, { humans: last.humans, level: last.level, lostTurns: last.lostTurns });
  game.go(node);
  if (last.clock) state.clocks = timed(last.clock);
}

/** Lets the clock and the engine go on, where a game being played was left. */
export async function goOn() {
  const { game, clocks, humans } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  // Whoever looks back does not wait for the engine, which therefore loses no time.
  const waiting = here.children.length === 0;
  if (waiting || humans[here.stand.color]) clocks?.turn(here.stand.color);
  if (waiting) await answer();
}
