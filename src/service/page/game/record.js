// A game as data in the form of the service's response to `readGoban`, from which `Game.read` builds it again. Games that
// the browser keeps open in this form without the service.

import { stoneChanges } from "/game/sgf.js";
import { letter } from "/game/tree.js";

/** Maximum number of nodes; larger games are kept as SGF only, because browsers store little. */
const LARGEST = 20000;

/** Rounds a number of points or a probability. */
const rounded = (value) => Number(value.toFixed(4));

/** Returns the fields of a node; fields without contents are left out. */
function fieldsOf(game, node) {
  const { move, turn, comment, rest, marks, value } = node;
  const fields = {};
  for (const [vertex, stone] of stoneChanges(game, node)) (fields[["white", "empty", "black"][stone + 1]] ??= []).push(vertex);
  if (move) fields.move = [letter(move[0]), move[1]];
  if (turn) fields.turn = turn;
  if (comment) fields.comment = comment;
  if (rest) fields.rest = rest;
  if (Object.keys(marks).length > 0) fields.marks = marks;
  if (value) Object.assign(fields, { winrate: rounded(value.winrate), scoreLead: rounded(value.lead) });
  return fields;
}

/** Returns the data of a game without attempts at a problem, or null if it is too large. */
export function recordOf(game) {
  const { size, komi, rules, named, handicap, black, white, date, result, info } = game.settings;
  const nodes = [game.root];
  const indices = new Map([[game.root, 0]]);
  for (let index = 0; index < nodes.length; index += 1) {
    for (const child of nodes[index].children) {
      if (child.tried) continue;
      indices.set(child, nodes.length);
      nodes.push(child);
    }
    if (nodes.length > LARGEST) return null;
  }
  return {
    size, komi, rules, named, handicap, black, white, date, result, info, color: game.root.turn,
    nodes: nodes.map((node) => ({ parent: node.parent ? indices.get(node.parent) : null, ...fieldsOf(game, node) })),
  };
}
