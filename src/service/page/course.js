// The course of a game: moves, the engine's answers, analysis, the end and the count.

import { letter, other } from "/game.js";
import { showButtons } from "/panels.js";
import { draw, show } from "/show.js";
import { attempt, capital, isOwn, say, service, stand, state, value } from "/state.js";

const byId = (id) => document.getElementById(id);
/** Visits at which an analysis is deep enough. */
const DEEP = 100000;
/** Moves of which an analysis tells. */
const TOLD = 10;

/** Goes to another position; what was being done here ends. At the end of a line, the engine moves if it is its turn. */
export async function go(node) {
  const { game } = state;
  const before = game.path().findLast(({ stand: known }) => known);
  game.go(node);
  state.mode = "play";
  state.hovered = null;
  halt();
  state.stop?.();
  state.stop = null;
  // An engine that is not let think loses no time.
  const running = state.clocks?.running;
  if (running && !state.humans[running]) state.clocks.turn(null);
  await show();
  // What a file sets up is known once it is shown.
  if (game !== state.game || node !== game.here) return;
  if (!node.stand) {
    // A file may hold what the rules do not allow. That has been said; what can be shown is shown again.
    if (before) {
      game.go(before);
      analyse();
      await show();
    }
    return;
  }
  analyse();
  if (node.children.length === 0) answer();
}

/** Ends what waits for an answer: a move that is made, or that the engine thinks about. */
export function halt() {
  state.busy?.abort();
  state.busy = null;
}

/** Starts or ends the analysis of the position here, as is wanted. */
export function analyse() {
  state.stop?.();
  state.stop = null;
  const { game } = state;
  const node = game.here;
  if (!state.analysing || state.mode !== "play") return;
  const heard = (answer) => {
    node.analysis = answer;
    value(node, answer);
    if (game === state.game && node === game.here) draw();
  };
  const wanted = { ...game.position(), visits: DEEP, top: TOLD, ownership: true };
  state.stop = service.stream("run", wanted, heard, (error) => say(error.message));
}

/** Whether the game is over; it is said if it is. */
function over() {
  const { game } = state;
  if (game.over) say(`The game is over: ${game.settings.result}. Undo takes the end back.`);
  return game.over;
}

/** Makes a move, if the rules allow it, and has the engine answer if it is its turn. */
export async function play(color, vertex) {
  const { game } = state;
  if (state.mode !== "play" || state.busy) return;
  state.clocks?.look();
  if (over()) return;
  const node = game.after(color, vertex);
  const making = new AbortController();
  state.busy = making;
  const known = await attempt(() => stand(node));
  // Meanwhile the time may be over, or the user may have gone elsewhere.
  if (state.busy !== making) return;
  state.busy = null;
  if (!known) {
    draw();
    return;
  }
  game.take(node);
  state.hovered = null;
  say(`${capital(color)} ${vertex}.`);
  state.clocks?.turn(known.ended ? null : known.color);
  analyse();
  await show();
  if (known.ended) await score();
  else await answer();
}

/** Lets the engine move if it is its turn. */
export async function answer() {
  const { game } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  if (!state.humans[here.stand.color]) await move();
}

/** The engine moves, whoever's turn it is. */
export async function move() {
  const { game } = state;
  const { here } = game;
  if (state.busy || state.mode !== "play" || !here.stand || over()) return;
  const color = here.stand.color;
  const thinking = new AbortController();
  state.busy = thinking;
  if (state.clocks && state.clocks.running !== color) state.clocks.turn(color);
  say(`${capital(color)} thinks …`);
  showButtons(state);
  // Whoever asks for a move of their own has not given up.
  const lostTurns = state.humans[color] ? 0 : state.lostTurns[color];
  const wanted = { ...game.position(), level: state.level, seconds: state.clocks?.budget(color), lostTurns };
  const found = await attempt(() => service.ask("genmove", wanted, { signal: thinking.signal }));
  if (state.busy !== thinking) return;
  state.busy = null;
  showButtons(state);
  if (!found) {
    state.clocks?.turn(null);
    return;
  }
  value(here, found);
  state.lostTurns[color] = found.lostTurns;
  if (found.move === "resign") resign(color);
  else await play(color, found.move);
}

export function resign(color) {
  end(`${letter(other(color))}+R`, `${capital(color)} resigns.`);
}

export function end(result, told) {
  if (state.game.settings.result) return;
  state.game.settings.result = result;
  halt();
  state.clocks?.turn(null);
  say(told);
  show();
}

/** Counts the position; stones that are chosen then change between alive and dead. */
export async function score(dead) {
  const { game } = state;
  const { here } = game;
  const found = await attempt(() => service.ask("score", { ...game.position(), dead }));
  if (!found || game !== state.game || here !== game.here) return;
  state.mode = "score";
  state.scored = found;
  analyse();
  const { points, whiteExtra } = found;
  const result = found.score === "0" ? "A draw" : found.score;
  say(`${result}: Black ${points.black}, White ${points.white}${whiteExtra ? ` and ${whiteExtra}` : ""}. Choose stones to mark them dead or alive.`);
  // Who has resigned or run out of time has lost, whatever the count.
  if (game.settings.playing && here.stand.ended && !/[RT]$/.test(game.settings.result)) game.settings.result = found.score;
  await show();
}

/** The stones of a chain, as vertices. */
function chain(column, row) {
  const { game } = state;
  const { board: rows } = game.here.stand;
  const seen = new Set();
  const open = [[column, row]];
  while (open.length > 0) {
    const [x, y] = open.pop();
    const vertex = game.vertex(x, y);
    if (seen.has(vertex)) continue;
    seen.add(vertex);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      if (rows[y + dy]?.[x + dx] === rows[row][column]) open.push([x + dx, y + dy]);
    }
  }
  return [...seen];
}

/** Something has been chosen on the board. */
export function chosen(column, row) {
  const { game, mode } = state;
  const { here } = game;
  if (!here.stand) return;
  if (mode === "edit") {
    // What was set up is being looked at.
    if (state.busy) return;
    const stone = Number(byId("edit-stone").value);
    state.edited[row][column] = state.edited[row][column] === stone ? 0 : stone;
    draw();
  } else if (mode === "score") {
    if (here.stand.board[row][column] === 0) return;
    const stones = chain(column, row);
    const dead = new Set(state.scored.dead);
    const marked = dead.has(stones[0]);
    for (const vertex of stones) marked ? dead.delete(vertex) : dead.add(vertex);
    state.scored.dead = [...dead];
    score(state.scored.dead);
  } else if (isOwn(here.stand.color)) {
    play(here.stand.color, game.vertex(column, row));
  }
}
