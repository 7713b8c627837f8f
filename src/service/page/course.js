// Game flow: moves of the user and the engine, analysis, the end of the game, and scoring.

import { letter, other } from "/game.js";
import { showButtons } from "/panels.js";
import { draw, show } from "/show.js";
import { attempt, capital, isOwn, say, service, stand, state, value } from "/state.js";

const byId = (id) => document.getElementById(id);
/** Visits at which an analysis stops. */
const DEEP = 100000;
/** Maximum number of moves in an analysis. */
const TOLD = 10;

/**
 * Makes `node` current. Cancels requests for the previous position. At the end of a line, the engine moves if it is its
 * turn. If the service rejects the position, the last valid one before it is shown again.
 */
export async function go(node) {
  const { game } = state;
  const before = game.path().findLast(({ stand: known }) => known);
  game.go(node);
  state.mode = "play";
  state.hovered = null;
  halt();
  state.stop?.();
  state.stop = null;
  // The engine's search has been cancelled, so its clock must not run.
  const running = state.clocks?.running;
  if (running && !state.humans[running]) state.clocks.turn(null);
  await show();
  // `show` has fetched the position if the service accepts it.
  if (game !== state.game || node !== game.here) return;
  if (!node.stand) {
    // Files can contain positions that the rules do not allow. The error has been shown already.
    if (before) {
      game.go(before);
      analyse();
      await show();
    }
    return;
  }
  warn(node);
  analyse();
  if (node.children.length === 0) answer();
}

/** Shows why the rules forbid the last move of `node`, if a game record contains such a move. */
function warn(node) {
  const { length } = state.game.position(node).moves;
  const warning = node.stand.warnings?.find(({ move: number }) => number === length);
  if (node.move && warning) say(`Illegal under these rules: ${warning.message}`);
}

/** Cancels the request in progress: a move being checked, an engine search or a set-up. */
export function halt() {
  state.busy?.abort();
  state.busy = null;
}

/** Restarts the analysis for the current position if it is switched on; otherwise stops it. */
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

/** Returns true, and shows the result, if the game is over. */
function over() {
  const { game } = state;
  if (game.over) say(`The game is over: ${game.settings.result}. Undo to continue it.`);
  return game.over;
}

/** Plays a move if it is legal. Then the engine moves if it is its turn, or the game is scored if it has ended. */
export async function play(color, vertex) {
  const { game } = state;
  if (state.mode !== "play" || state.busy) return;
  state.clocks?.look();
  if (over()) return;
  const node = game.after(color, vertex);
  const making = new AbortController();
  state.busy = making;
  const known = await attempt(() => stand(node));
  // In the meantime, time may have run out or the user may have left this position.
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
  if (known.noResult) repeated();
  else if (known.ended) await score();
  else await answer();
}

/** Lets the engine move if it is its turn. */
export async function answer() {
  const { game } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  if (!state.humans[here.stand.color]) await move();
}

/** Makes the engine play for the side to move. */
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
  // On the user's turn, the engine must not resign because of earlier turns.
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

/** Shows that the game has no result because of a repetition. Ends the game if it is being played. */
function repeated() {
  const told = "No result: a position has occurred three times.";
  if (state.game.settings.playing) end("Void", told);
  else say(told);
}

/** Resigns for `color`. */
export function resign(color) {
  end(`${letter(other(color))}+R`, `${capital(color)} resigns.`);
}

/** Ends the game with a result in SGF format, and shows a message. Has no effect if there is a result already. */
export function end(result, told) {
  if (state.game.settings.result) return;
  state.game.settings.result = result;
  halt();
  state.clocks?.turn(null);
  say(told);
  show();
}

/**
 * Scores the current position and enters score mode, in which choosing a chain toggles it between alive and dead.
 * `dead`: dead stones as vertices; by default the service determines them.
 */
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
  // A resignation, a loss on time or a repetition takes precedence over the score.
  if (game.settings.playing && here.stand.ended && !/([RT]|Void)$/.test(game.settings.result)) game.settings.result = found.score;
  await show();
}

/** Returns the vertices of the chain at a point. */
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

/** Handles the choice of a point on the board, depending on the mode. */
export function chosen(column, row) {
  const { game, mode } = state;
  const { here } = game;
  if (!here.stand) return;
  if (mode === "edit") {
    // The set-up is being checked by the service.
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
