// Game flow: moves of the user and the engine, analysis, the end of the game, and scoring.

import { clearMessage, say, sayAll, sayError } from "/core/message.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { save, saveSoon } from "/game/autosave.js";
import { betweenEngines, isEnginesTurn, isOwn, position, positionAtOnce, setValue, state } from "/game/state.js";
import { letter, other } from "/game/tree.js";
import { attempt, isConnected, onReconnected, service } from "/service/service.js";
import { lead, percent } from "/texts/texts.js";

/** Visits at which an analysis stops; during a review it stops earlier, because the review waits for it. */
const [DEEP, SHALLOW] = [100000, 300];
/** Maximum number of moves in an analysis. */
const MAX_MOVES = 10;
/** Visits of an estimate of the score. */
const ESTIMATE_VISITS = 200;

/** Fetches the current position if necessary, reports the changes and saves the game. */
export async function show() {
  const { game } = state;
  const { here } = game;
  const known = await attempt(() => position(here));
  if (!known || game !== state.game || here !== game.here) return;
  changed("position", "tree", "mode");
  save();
}

/**
 * Makes `node` current. Cancels requests for the previous position. At the end of a line, the engine moves if it is its
 * turn. If the service rejects the position, the last valid one before it is shown again.
 */
export async function go(node) {
  const { game } = state;
  const before = game.path().findLast(({ position: known }) => known);
  game.go(node);
  const known = positionAtOnce(node);
  // All panels show a known position at the same time.
  if (known) changed("position", "tree");
  leaveMode();
  state.hovered = null;
  halt();
  stopAnalysis();
  clearMessage("place");
  // The engine's search has been cancelled, so its clock must not run.
  const running = state.clocks?.running;
  if (running && !state.humans[running]) state.clocks.turn(null);
  // The panels are not updated again if the position was known. New moves are saved at once.
  if (!known) await show();
  else if (node.children.length > 0) saveSoon();
  else save();
  // `show` has fetched the position if the service accepts it.
  if (game !== state.game || node !== game.here) return;
  if (!node.position) {
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
  const { length } = state.game.request(node).moves;
  const warning = node.position.warnings?.find(({ move: number }) => number === length);
  if (node.move && warning) sayError({ ...warning, illegal: true });
}

/** Cancels the request in progress: a move being checked, an engine search or a set-up. */
export function halt() {
  clearMessage("wait");
  if (!state.busy) return;
  state.busy.abort();
  state.busy = null;
  state.thinking = null;
  changed("mode");
}

/** Returns to playing from counting, an estimate or editing. */
export function leaveMode() {
  if (state.mode === "play") return;
  state.mode = "play";
  changed("mode");
}

export function stopAnalysis() {
  state.stop?.();
  state.stop = null;
}

/**
 * Restarts the analysis for the current position if it is switched on; otherwise stops it. While the engine has to move,
 * the analysis waits, so that it does not delay the move.
 */
export function analyse() {
  stopAnalysis();
  const { game } = state;
  const node = game.here;
  changed("analysis");
  if (!state.analysing || state.mode !== "play" || state.thinking || !isConnected()) return;
  if (isEnginesTurn(node) && node.children.length === 0) return;
  const heard = (response) => {
    // An analysis that starts again is first less deep than the earlier one.
    if (response.visits >= (node.analysis?.visits ?? 0)) node.analysis = response;
    setValue(node, response);
  };
  const request = { ...game.request(node), visits: state.reviewing > 0 ? SHALLOW : DEEP, top: MAX_MOVES, ownership: true };
  // A lost connection is shown elsewhere, and the analysis starts again with the next one.
  state.stop = service.stream("run", request, heard, (error) => error.code !== "closing" && sayError(error));
}

/** Switches the analysis on or off. */
export function toggleAnalysis() {
  state.analysing = !state.analysing;
  if (state.mode === "estimate") leaveMode();
  say(state.analysing ? "said.analysing" : "said.analysisEnded");
  analyse();
  changed("mode");
}

/** Returns true, and shows the result, if the game is over. */
function over() {
  const { game } = state;
  if (game.over) say("said.gameOver", { result: game.settings.result });
  return game.over;
}

/** Plays a move if it is legal. Then the engine moves if it is its turn, or the game is scored if it has ended. */
export async function play(color, vertex) {
  const { game } = state;
  if (state.mode !== "play" || state.busy) return;
  state.clocks?.look();
  if (over()) return;
  const node = game.after(color, vertex);
  const checking = new AbortController();
  state.busy = checking;
  changed("mode");
  const known = await attempt(() => position(node));
  // In the meantime, time may have run out or the user may have left this position.
  if (state.busy !== checking) return;
  state.busy = null;
  changed("mode");
  if (!known) return;
  const before = game.here;
  const isNew = !before.children.includes(node);
  game.take(node);
  state.hovered = null;
  say("said.played", { color, vertex });
  state.moved = { node, before };
  changed("tree", "moved");
  for (const listener of playedListeners) listener({ game, node, before, isNew });
  state.clocks?.turn(known.ended ? null : known.color);
  analyse();
  await show();
  if (known.noResult) repeated();
  else if (known.ended) await finish();
  else await answer();
}

/** Counts a game after two passes; without the service, once the connection is back. */
async function finish() {
  if (isConnected()) await count();
  else say("said.countLater");
}

const playedListeners = [];
/** Calls `listener({game, node, before, isNew})` after each move; `before` is the node before the move's node. */
export const onPlayed = (listener) => playedListeners.push(listener);

/** Lets the engine move if it is its turn, unless a game between two engines is paused. Without the service, it waits. */
export async function answer() {
  if (!isEnginesTurn() || (state.paused && betweenEngines())) return;
  if (isConnected()) await move();
  else state.clocks?.turn(null);
}

/** Stops a game between two engines, or continues it. */
export async function pause() {
  state.paused = !state.paused;
  changed("mode");
  if (state.paused) halt();
  else if (state.game.here.children.length === 0) await answer();
}

/** Makes the engine play for the side to move. Without the service, it moves once the connection is back. */
export async function move() {
  const { game } = state;
  const { here } = game;
  if (state.busy || !here.position || !isConnected() || over()) return;
  leaveMode();
  const color = here.position.color;
  const searching = new AbortController();
  state.busy = searching;
  state.thinking = color;
  stopAnalysis();
  if (state.clocks && state.clocks.running !== color) state.clocks.turn(color);
  say("said.thinking", { color }, "wait");
  changed("mode");
  // On the user's turn, the engine must not resign because of earlier turns.
  const lostTurns = state.humans[color] ? 0 : state.lostTurns[color];
  const request = { ...game.request(), level: state.level, seconds: state.clocks?.budget(color), lostTurns };
  const found = await attempt(() => service.ask("genmove", request, { signal: searching.signal }));
  if (state.busy !== searching) return;
  state.busy = null;
  state.thinking = null;
  changed("mode");
  if (!found) {
    state.clocks?.turn(null);
    return;
  }
  setValue(here, found);
  state.lostTurns[color] = found.lostTurns;
  if (found.move === "resign") resign(color);
  else await play(color, found.move);
}

// A lost connection loses the engine's move and the analysis.
onReconnected(async () => {
  say("said.reconnected");
  if (!state.game.here.position) await show();
  analyse();
  const { here, settings: { playing, result } } = state.game;
  if (here.children.length > 0 || !here.position) return;
  if (here.position.ended && playing && !result) await finish();
  else await answer();
});

/** Shows that the game has no result because of a repetition. Ends the game if it is being played. */
function repeated() {
  if (state.game.settings.playing) end("Void", "said.noResult");
  else say("said.noResult");
}

/** Resigns for `color`. The user can take this back. */
export function resign(color) {
  const { game } = state;
  if (game.settings.result) return;
  const result = `${letter(other(color))}+R`;
  end(result, "said.resigns", { color });
  if (!isOwn(color)) return;
  undoable({
    scope: game, text: "undone.resign", resigned: true, applies: () => game.over && game.settings.result === result,
    undo: async () => {
      if (game !== state.game) return;
      game.settings.result = "";
      changed("result");
      await show();
      if (isOwn(game.here.position.color)) state.clocks?.turn(game.here.position.color);
      else await answer();
    },
  });
}

/** Ends the game with a result in SGF format, and shows a message. Has no effect if there is a result already. */
export function end(result, key, params) {
  if (state.game.settings.result) return;
  state.game.settings.result = result;
  halt();
  state.clocks?.turn(null);
  say(key, params);
  changed("result");
  analyse();
  show();
}

/** True if the stones on the board can be counted: after two passes, and at the end of the main line of a game record. */
export function canCount() {
  const { game, game: { here } } = state;
  if (!here.position) return false;
  return here.position.ended || (!game.settings.playing && here.children.length === 0 && here.recorded && game.sideSteps().length === 0);
}

/**
 * Counts the current position and enters score mode, in which choosing a chain toggles it between alive and dead.
 * `dead`: dead stones as vertices; by default the service determines them.
 */
export async function count(dead) {
  const { game } = state;
  const { here } = game;
  stopAnalysis();
  const scored = await attempt(() => service.ask("score", { ...game.request(), dead }));
  if (!scored || game !== state.game || here !== game.here) return;
  state.mode = "score";
  state.scored = scored;
  analyse();
  const { points, whiteExtra, score } = scored;
  const key = score === "0" ? "said.countDraw" : whiteExtra ? "said.count" : "said.countWithoutKomi";
  sayAll([[key, { result: score, black: points.black, white: points.white, komi: whiteExtra }], ["said.markDead"]]);
  // A resignation, a loss on time or a repetition takes precedence over the score.
  if (game.settings.playing && here.position.ended && !/([RT]|Void)$/.test(game.settings.result)) {
    game.settings.result = score;
    changed("result");
  }
  await show();
}

/** Estimates the score of the current position and shows the expected owners of its points. */
export async function estimate() {
  const { game } = state;
  const { here } = game;
  stopAnalysis();
  say("said.estimating", {}, "wait");
  const request = { ...game.request(), visits: ESTIMATE_VISITS, top: 1, ownership: true };
  const found = await attempt(() => service.ask("run", request));
  clearMessage("wait");
  if (!found || game !== state.game || here !== game.here || state.busy) return;
  setValue(here, found);
  state.mode = "estimate";
  state.estimated = found;
  const { winrate, lead: margin } = here.value;
  say("said.estimate", { lead: lead(margin), share: percent(margin < 0 ? 1 - winrate : winrate) });
  changed("mode");
}

/** Returns the vertices of the chain at a point. */
function chain(column, row) {
  const { game } = state;
  const { board: rows } = game.here.position;
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

/** Marks the chain at a point as dead, or as alive if it is marked. */
function toggleDead(column, row) {
  if (state.game.here.position.board[row][column] === 0) return;
  const stones = chain(column, row);
  const dead = new Set(state.scored.dead);
  const marked = dead.has(stones[0]);
  for (const vertex of stones) marked ? dead.delete(vertex) : dead.add(vertex);
  state.scored.dead = [...dead];
  count(state.scored.dead);
}

/** Handlers of chosen points by mode. Other modules add modes of their own. */
export const pointHandlers = {
  score: toggleDead,
  estimate: (column, row) => {
    leaveMode();
    analyse();
    playAt(column, row);
  },
  play: playAt,
};

function playAt(column, row) {
  const { game } = state;
  const { color, board } = game.here.position;
  if (state.thinking) return;
  if (!isOwn(color)) {
    if (!over()) say("said.enginesTurn", {}, "place");
  } else if (board[row][column] !== 0 && !game.over) {
    say("error.occupied", {}, "place");
  } else {
    play(color, game.vertex(column, row));
  }
}

/** Handles the choice of a point on the board, depending on the mode. */
export function chosen(column, row) {
  if (state.game.here.position) pointHandlers[state.mode]?.(column, row);
}
