// Positions without the service, so that a game can be viewed and continued while the connection is lost: captures,
// suicide and the simple ko rule. The service computes them again, with the rules of the game, once it can be reached.

import { other } from "/game/tree.js";

/** Returns the points next to a point. */
function neighbours(board, x, y) {
  return [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]].filter(([column, row]) => board[row]?.[column] !== undefined);
}

/** Returns the points of a chain, or null if it has liberties. */
function captured(board, x, y) {
  const chain = [[x, y]];
  const seen = new Set([`${x},${y}`]);
  for (const [column, row] of chain) {
    for (const next of neighbours(board, column, row)) {
      const value = board[next[1]][next[0]];
      if (value === 0) return null;
      if (value !== board[y][x] || seen.has(String(next))) continue;
      seen.add(String(next));
      chain.push(next);
    }
  }
  return chain;
}

/** Removes a chain and returns the number of its stones. */
function remove(board, chain) {
  for (const [x, y] of chain) board[y][x] = 0;
  return chain.length;
}

/** Plays a stone on `board`. Returns the numbers of captured stones, {own, others}; null if the point is occupied. */
function place(board, value, [x, y]) {
  if (board[y][x] !== 0) return null;
  board[y][x] = value;
  let others = 0;
  for (const [column, row] of neighbours(board, x, y)) {
    const chain = board[row][column] === -value ? captured(board, column, row) : null;
    if (chain) others += remove(board, chain);
  }
  const chain = captured(board, x, y);
  return { own: chain ? remove(board, chain) : 0, others };
}

const isPass = (node) => node?.move?.[1] === "pass";

/** Returns why a new move is not allowed, as a code of the service, or null. */
function objection(game, node, board, result) {
  if (node.recorded) return null;
  if (!result) return "occupied";
  if (result.own > 0) return "suicide";
  const before = node.parent?.parent?.position?.board;
  return result.others === 1 && before && String(before) === String(board) ? "ko" : null;
}

/**
 * Returns the position after `node`, as the service describes it; `before` is the position after its parent, or null.
 * Throws an error with a code of the service if the move is not allowed.
 */
export function localPosition(game, node, before) {
  const board = (node.setUp ?? before?.board ?? game.matrix([])).map((row) => [...row]);
  const prisoners = { black: 0, white: 0, ...before?.prisoners };
  if (node.move && !isPass(node)) {
    const [color, vertex] = node.move;
    const result = place(board, color === "black" ? 1 : -1, game.place(vertex));
    const code = objection(game, node, board, result);
    if (code) throw Object.assign(new Error(code), { code });
    prisoners[color] += result?.own ?? 0;
    prisoners[other(color)] += result?.others ?? 0;
  }
  const ended = isPass(node) && isPass(node.parent);
  return { board, prisoners, color: game.turn(node), forbidden: [], ended, noResult: false, isLocal: true };
}
