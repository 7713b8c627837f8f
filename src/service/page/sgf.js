// Games written as SGF. They are read by the service, which knows the many ways in which files are written.

import { letter } from "/game.js";

const escaped = (text) => String(text).replace(/[\\\]]/g, "\\$&");
const point = (game, vertex) => {
  if (vertex === "pass") return "";
  return game.place(vertex).map((side) => "abcdefghijklmnopqrs"[side]).join("");
};

/** What a node that was set up changes in the position before it, as [vertex, value]. */
function changes(game, node) {
  // Where nobody has been since the game was read, it is as the file had it.
  if (!node.setUp) return node.changes ?? [];
  const before = node.parent?.stand?.board ?? game.matrix([]);
  return node.setUp.flatMap((cells, row) => cells.flatMap((value, column) => (
    value === before[row][column] ? [] : [[game.vertex(column, row), value]])));
}

/** The stones of a node that was set up. */
function stones(game, node) {
  const lists = { AB: "", AW: "", AE: "" };
  for (const [vertex, value] of changes(game, node)) {
    lists[value === 1 ? "AB" : value === -1 ? "AW" : "AE"] += `[${point(game, vertex)}]`;
  }
  return Object.entries(lists).map(([name, points]) => (points ? name + points : "")).join("");
}

function properties(game, node) {
  let text = "";
  if (node.move) text += `${letter(node.move[0])}[${point(game, node.move[1])}]`;
  text += stones(game, node);
  if (node.turn) text += `PL[${letter(node.turn)}]`;
  if (node.comment) text += `C[${escaped(node.comment)}]`;
  if (node.value) {
    text += `SBKV[${(100 * node.value.winrate).toFixed(2)}]SBKS[${node.value.lead.toFixed(2)}]`;
  }
  return text + node.rest;
}

/** Whether stones are set up anywhere before the first move. */
function beginsSetUp(game) {
  const open = [game.root];
  while (open.length > 0) {
    const node = open.pop();
    if (node.setUp || node.changes) return true;
    if (!node.move) open.push(...node.children);
  }
  return false;
}

/** The game as an SGF text. */
export function write(game) {
  const { size: [columns, rows], komi, rules, named = rules, handicap, black, white, date, result } = game.settings;
  const size = columns === rows ? columns : `${columns}:${rows}`;
  let text = `(;GM[1]FF[4]CA[UTF-8]AP[Honinbo]SZ[${size}]KM[${komi}]PB[${escaped(black)}]PW[${escaped(white)}]`;
  if (named) text += `RU[${escaped(named)}]`;
  if (date) text += `DT[${escaped(date)}]`;
  if (result) text += `RE[${escaped(result)}]`;
  if (handicap > 1) text += `HA[${handicap}]`;
  // Else stones of Black's would be taken for one.
  else if (beginsSetUp(game)) text += "HA[0]";
  text += properties(game, game.root);
  // Without recursion: games may be long.
  const open = [...game.root.children].reverse().map((node) => ({ node, alone: game.root.children.length === 1 }));
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") {
      text += next;
      continue;
    }
    const { node, alone } = next;
    text += `${alone ? "" : "("};${properties(game, node)}`;
    if (!alone) open.push(")");
    const { children } = node;
    open.push(...[...children].reverse().map((child) => ({ node: child, alone: children.length === 1 })));
  }
  return `${text})\n`;
}
