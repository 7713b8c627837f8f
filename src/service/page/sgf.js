// Games written as SGF. They are read by the service, which knows the many ways in which files are written.

import { letter } from "/game.js";

const escaped = (text) => String(text).replace(/[\\\]]/g, "\\$&");
const point = (game, vertex) => {
  if (vertex === "pass") return "";
  return game.place(vertex).map((side) => "abcdefghijklmnopqrs"[side]).join("");
};

/** The stones of a node that was set up: what changes from the position before it. */
function stones(game, node) {
  const before = node.parent?.stand?.board ?? game.matrix([]);
  const lists = { AB: [], AW: [], AE: [] };
  node.setUp.forEach((cells, row) => cells.forEach((value, column) => {
    if (value === before[row][column]) return;
    lists[value === 1 ? "AB" : value === -1 ? "AW" : "AE"].push(point(game, game.vertex(column, row)));
  }));
  return Object.entries(lists)
    .filter(([, points]) => points.length > 0)
    .map(([name, points]) => name + points.map((at) => `[${at}]`).join(""))
    .join("");
}

function properties(game, node) {
  let text = "";
  if (node.move) text += `${letter(node.move[0])}[${point(game, node.move[1])}]`;
  if (node.setUp) text += stones(game, node);
  if (node.turn) text += `PL[${letter(node.turn)}]`;
  if (node.comment) text += `C[${escaped(node.comment)}]`;
  if (node.value) {
    text += `SBKV[${(100 * node.value.winrate).toFixed(2)}]SBKS[${node.value.lead.toFixed(2)}]`;
  }
  return text;
}

/** The game as an SGF text. */
export function write(game) {
  const { size: [columns, rows], komi, rules, handicap, black, white, date, result } = game.settings;
  const size = columns === rows ? columns : `${columns}:${rows}`;
  let text = `(;GM[1]FF[4]CA[UTF-8]AP[Honinbo]SZ[${size}]KM[${komi}]RU[${escaped(rules)}]PB[${escaped(black)}]PW[${escaped(white)}]`;
  if (date) text += `DT[${escaped(date)}]`;
  if (result) text += `RE[${escaped(result)}]`;
  if (handicap > 1) text += `HA[${handicap}]`;
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
