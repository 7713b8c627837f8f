// Positions of the game tree, computed with the rules. Each node keeps the state after it for the next request.

import { brokenRule, checkLiberties, describe, nextState, ruleSet, startState } from "/game/rules.js";

/** Returns the number of a vertex as in `game/rules.js`; null for a pass. */
function pointOf(game, vertex) {
  if (vertex === "pass") return null;
  const [column, row] = game.place(vertex);
  return row * game.width + column;
}

/** Returns a function that writes a point as a vertex. */
const namer = (game) => (point) => game.vertex(point % game.width, Math.floor(point / game.width));

/** Throws an error if stones of a matrix have no liberties. */
export const checkStones = (game, matrix) => checkLiberties(game.settings.size, matrix, namer(game));

/** Returns the colour of the first move after the node with this index of a path, unless stones are set up before it. */
function firstColor(path, index) {
  const next = path.find(({ move, setUp }, at) => at > index && (move || setUp));
  return next?.setUp ? undefined : next?.move[0];
}

/** Returns the state of the set-up of a node, or of the empty board. */
function started(game, rules, path, index, before) {
  const node = path[index];
  const { played: known } = node;
  // Without moves, it makes no difference who begins.
  const color = firstColor(path, index) ?? known?.state.turn ?? game.turn(node);
  if (known?.from === before && known.by === node.setUp && known.state.rules === rules && known.state.turn === color) return known.state;
  if (node.setUp) checkStones(game, node.setUp);
  const state = startState(rules, game.settings.size, node.setUp ?? game.matrix([]), color, before);
  node.played = { from: before, by: node.setUp, state };
  return state;
}

/** Returns the state after the move of a node. */
function moved(game, node, before) {
  const { played: known, move } = node;
  if (known?.from === before && known.by === move) return known.state;
  const state = nextState(before, move[0], pointOf(game, move[1]));
  node.played = { from: before, by: move, state };
  return state;
}

/**
 * Returns the position after `node` as the service describes it, or null if the page does not know the game's rules.
 * Throws an error if the last move is illegal, unless the node was read from a file.
 */
export function positionOf(game, node) {
  const rules = ruleSet(game.settings.rules);
  if (!rules) return null;
  let state = null;
  game.path(node).forEach((at, index, path) => {
    if (at.setUp || !at.parent) state = started(game, rules, path, index, state);
    if (at.move && !at.setUp) state = moved(game, at, state);
  });
  const position = describe(state, game.turn(node), namer(game));
  const code = node.move && !node.setUp ? brokenRule(state) : null;
  if (!code) return position;
  const params = { move: state.number, color: node.move[0], point: node.move[1] };
  if (!node.recorded) throw Object.assign(new Error(code), { code, params });
  return { ...position, warnings: [{ move: state.number, code, params }] };
}
