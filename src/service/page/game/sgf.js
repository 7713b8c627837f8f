// SGF writer. Files are parsed by the service, which handles the many variants of the format, and without it by
// `sgf_reader.js`.

import { letter } from "/game/tree.js";

/** Returns a text with the escapes of SGF. */
export const escaped = (text) => String(text).replace(/[\\\]]/g, "\\$&");
const point = (game, vertex) => {
  if (vertex === "pass") return "";
  return game.place(vertex).map((side) => "abcdefghijklmnopqrs"[side]).join("");
};

/** Returns the number of a vertex, counted by rows from the upper left. */
function order(game, vertex) {
  const [column, row] = game.place(vertex);
  return row * game.width + column;
}

/** Returns the points that a set-up node changes, as [vertex, value]. */
export function stoneChanges(game, node) {
  // A node that has not been visited since the file was read has only the changes of the file, which are sorted.
  if (!node.setUp) return [...node.changes ?? []].sort(([one], [other]) => order(game, one) - order(game, other));
  const before = node.parent?.position?.board ?? game.matrix([]);
  return node.setUp.flatMap((cells, row) => cells.flatMap((value, column) => (
    value === before[row][column] ? [] : [[game.vertex(column, row), value]])));
}

/** Returns the set-up properties (AB, AW, AE) of a node. */
function stones(game, node) {
  const lists = { AB: "", AW: "", AE: "" };
  for (const [vertex, value] of stoneChanges(game, node)) {
    lists[value === 1 ? "AB" : value === -1 ? "AW" : "AE"] += `[${point(game, vertex)}]`;
  }
  return Object.entries(lists).map(([name, points]) => (points ? name + points : "")).join("");
}

/** Properties of markup by kind, with the form of their values. */
export const MARKS = {
  triangle: "TR", square: "SQ", circle: "CR", cross: "MA", selected: "SL", dim: "DD", view: "VW", blackTerritory: "TB", whiteTerritory: "TW", label: "LB", arrow: "AR", line: "LN",
};
/** Properties of the game information by the names of the service. */
export const INFO = {
  name: "GN", blackRank: "BR", whiteRank: "WR", blackTeam: "BT", whiteTeam: "WT", event: "EV", round: "RO", place: "PC", time: "TM",
  overtime: "OT", opening: "ON", source: "SO", user: "US", annotator: "AN", copyright: "CP", comment: "GC",
};

/** Returns the markup properties of a node. */
function markup(game, { marks }) {
  const value = (kind, item) => {
    if (kind === "label") return `${point(game, item[0])}:${escaped(item[1]).replaceAll(":", "\\:")}`;
    return Array.isArray(item) ? item.map((vertex) => point(game, vertex)).join(":") : point(game, item);
  };
  return Object.entries(MARKS).filter(([kind]) => marks[kind]).map(([kind, property]) => {
    const list = marks[kind];
    // An empty list ends a restriction to a part of the board.
    const values = list.length > 0 ? list.map((item) => `[${value(kind, item)}]`) : ["[]"];
    return property + values.join("");
  }).join("");
}

/** Returns the game information that the file contains in addition to names, date, result and rules. */
const information = (info) => Object.entries(INFO).map(([name, property]) => (info[name] ? `${property}[${escaped(info[name])}]` : "")).join("");

/** Returns all properties of a node. */
function properties(game, node) {
  let text = "";
  if (node.move) text += `${letter(node.move[0])}[${point(game, node.move[1])}]`;
  text += stones(game, node);
  if (node.turn) text += `PL[${letter(node.turn)}]`;
  if (node.comment) text += `C[${escaped(node.comment)}]`;
  if (node.value) {
    text += `SBKV[${(100 * node.value.winrate).toFixed(2)}]SBKS[${node.value.lead.toFixed(2)}]`;
  }
  return text + markup(game, node) + node.rest;
}

/** True if stones are set up before the first move. */
function beginsSetUp(game) {
  const open = [game.root];
  while (open.length > 0) {
    const node = open.pop();
    if (node.setUp || node.changes) return true;
    if (!node.move) open.push(...node.children);
  }
  return false;
}

/** Returns the text of a game without the values of its positions, for comparisons of what the user has entered. */
export const withoutValues = (text) => text.replace(/SBK[VS]\[[^\]]*\]/g, "");

/** Returns the game as SGF without attempts at a problem, or only the nodes of one of its lines, from the root. */
export function write(game, line = null) {
  const { size: [columns, rows], komi, rules, named = rules, handicap, black, white, date, result, info } = game.settings;
  const only = line && new Set(line);
  const following = ({ children }) => children.filter((child) => !child.tried && (!only || only.has(child)));
  const size = columns === rows ? columns : `${columns}:${rows}`;
  let text = `(;GM[1]FF[4]CA[UTF-8]AP[Honinbo]SZ[${size}]KM[${komi}]`;
  if (black) text += `PB[${escaped(black)}]`;
  if (white) text += `PW[${escaped(white)}]`;
  if (named) text += `RU[${escaped(named)}]`;
  if (date) text += `DT[${escaped(date)}]`;
  if (result) text += `RE[${escaped(result)}]`;
  text += information(info);
  if (handicap > 1) text += `HA[${handicap}]`;
  // Without HA[0], black set-up stones would be read as a handicap.
  else if (beginsSetUp(game)) text += "HA[0]";
  text += properties(game, game.root);
  // Iterative, because long games would exceed the call stack.
  const entries = (children) => [...children].reverse().map((node) => ({ node, alone: children.length === 1 }));
  const open = entries(following(game.root));
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") {
      text += next;
      continue;
    }
    const { node, alone } = next;
    text += `${alone ? "" : "("};${properties(game, node)}`;
    if (!alone) open.push(")");
    open.push(...entries(following(node)));
  }
  return `${text})\n`;
}
