// Updates the board and the panels from the state.

import { Board } from "/board.js";
import { other } from "/game.js";
import { Graph } from "/graph.js";
import { percent, prepareMoves, showButtons, showMoves, showPlayers, showValue, showVariations } from "/panels.js";
import { attempt, capital, isOwn, keep, say, stand, state } from "/state.js";

const byId = (id) => document.getElementById(id);
let board;
let graph;
let does;

/**
 * Creates the board, the list of analysed moves and the graph. `actions` are the callbacks for the user's choices:
 * `go(node)`, `play(color, vertex)` and `chosen(column, row)`.
 */
export function prepare(actions) {
  does = actions;
  board = new Board(byId("board"), { play: does.chosen, hover: point, visit });
  prepareMoves(hover, (index) => {
    const { analysis } = state.game.here;
    if (isOwn(analysis.color)) does.play(analysis.color, analysis.moves[index].vertex);
  });
  graph = new Graph(byId("graph"), (index) => {
    const node = state.game.line()[index];
    if (node) does.go(node);
  });
}

/** Shows the principal variation of the analysed move under the pointer. */
function point(place) {
  const moves = state.analysing && state.mode === "play" ? state.game.here.analysis?.moves ?? [] : [];
  const vertex = place && state.game.vertex(...place);
  const index = moves.findIndex((move) => move.vertex === vertex && move.visits > 0);
  hover(index < 0 ? null : index);
}

/** Announces the keyboard cursor to screen readers. */
function visit(column, row) {
  const matrix = state.mode === "edit" ? state.edited : state.game.here.stand.board;
  const stone = ["White", "empty", "Black"][matrix[row][column] + 1];
  say(`${state.game.vertex(column, row)}, ${stone}`);
}

/** Fetches the current position, redraws the whole page, and saves the game in the browser. */
export async function show() {
  const { game } = state;
  const { here } = game;
  const known = await attempt(() => stand(here));
  if (!known || game !== state.game || here !== game.here) return;
  draw();
  showPlayers(game, known);
  showVariations(game, does.go);
  // Text that the user is editing is not replaced.
  if (!state.commented) byId("comment").value = here.comment;
  keep();
}

/** Redraws the board, the analysis and the graph from the data at hand. */
export function draw() {
  const { game, mode, analysing } = state;
  const { here } = game;
  if (!here.stand) return;
  const analysis = analysing && mode === "play" ? here.analysis : null;
  const matrix = mode === "edit" ? state.edited : here.stand.board;
  const last = here.move && here.move[1] !== "pass" ? game.place(here.move[1]) : null;
  const view = { matrix, last: mode === "play" ? last : null, turn: mayPlay() ? here.stand.color : null, label: label() };
  if (mode === "score") {
    view.owners = state.scored.owned;
    view.dead = new Set(state.scored.dead.map((vertex) => game.place(vertex).join(",")));
  } else if (analysis) {
    const shown = state.hovered === null ? null : analysis.moves[state.hovered];
    if (shown) view.line = foreseen(shown.pv, analysis.color);
    else {
      view.hints = hints(analysis);
      view.owners = analysis.ownership;
    }
  }
  board.show(view);
  showMoves(analysis);
  showValue(here.value);
  showButtons(state);
  const line = game.line();
  graph.show(line.map(({ value }) => value), line.indexOf(here));
}

/** True if choosing a point on the board plays a move. */
function mayPlay() {
  const { game, mode, busy } = state;
  return mode === "play" && !busy && !game.over && isOwn(game.here.stand.color);
}

function label() {
  const { game } = state;
  const { here } = game;
  const last = here.move ? ` Last move: ${capital(here.move[0])} ${here.move[1]}.` : "";
  return `Board of ${game.width} by ${game.height}, move ${game.number}, ${capital(here.stand.color)} to play.${last}`;
}

function hints({ moves }) {
  const most = moves[0]?.visits ?? 1;
  return moves.filter(({ vertex, visits }) => vertex !== "pass" && visits > 0).map(({ vertex, visits, winrate }, index) => ({
    at: state.game.place(vertex), best: index === 0, share: visits / most,
    lines: [percent(winrate), visits < 1000 ? String(visits) : `${(visits / 1000).toFixed(1)}k`],
  }));
}

/** Returns the first moves of a principal variation as stones for the board, beginning with the colour `first`. */
function foreseen(pv, first) {
  let color = first;
  return pv.slice(0, 12).flatMap((vertex) => {
    const told = vertex === "pass" ? [] : [{ at: state.game.place(vertex), color }];
    color = other(color);
    return told;
  });
}

function hover(index) {
  if (state.hovered === index) return;
  state.hovered = index;
  draw();
}
