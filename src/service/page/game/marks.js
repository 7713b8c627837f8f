// Markup of nodes: kinds, changes, and inheritance. Marks have the form in which the service describes them.

/** Symbols, of which each point has at most one. */
export const SYMBOLS = ["triangle", "square", "circle", "cross", "selected"];

/** Points that are marked as Black's and as White's territory. */
const TERRITORY = ["blackTerritory", "whiteTerritory"];

/** Returns the mark at a vertex as [kind, text], or null. */
function markAt(marks, vertex) {
  const kind = SYMBOLS.find((name) => marks[name]?.includes(vertex));
  if (kind) return [kind, ""];
  const label = marks.label?.find(([at]) => at === vertex);
  return label ? ["label", label[1]] : null;
}

/** Returns `marks` without the marks at a vertex, lines that begin or end there included. */
export function withoutMarks(marks, vertex) {
  const rest = withoutPoint(marks, vertex);
  removeItems(rest, TERRITORY, (at) => at === vertex);
  removeItems(rest, ["arrow", "line"], (pair) => pair.includes(vertex));
  return rest;
}

/** Returns `marks` with a mark at a vertex; the same mark is removed instead, and another one is replaced. */
export function toggledMark(marks, kind, vertex) {
  const [before, text] = markAt(marks, vertex) ?? [];
  const wanted = kind === "letter" || kind === "number" ? "label" : kind;
  const isNumber = /^\d+$/.test(text ?? "");
  const rest = withoutPoint(marks, vertex);
  if (before === wanted && (wanted !== "label" || isNumber === (kind === "number"))) return rest;
  if (wanted !== "label") return { ...rest, [wanted]: [...rest[wanted] ?? [], vertex] };
  return { ...rest, label: [...rest.label ?? [], [vertex, nextLabel(rest, kind)]] };
}

/** Returns `marks` without the symbol or label at a vertex. */
function withoutPoint(marks, vertex) {
  const rest = { ...marks };
  removeItems(rest, SYMBOLS, (at) => at === vertex);
  removeItems(rest, ["label"], ([at]) => at === vertex);
  return rest;
}

/** Removes the items of some kinds of marks that are at a point. */
function removeItems(marks, kinds, isAt) {
  for (const kind of kinds) {
    const others = marks[kind]?.filter((item) => !isAt(item));
    if (!others?.length) delete marks[kind];
    else marks[kind] = others;
  }
}

/** Returns `marks` with a line or arrow between two vertices, or without it if it exists. */
export function toggledLine(marks, kind, from, to) {
  const list = marks[kind] ?? [];
  const others = list.filter((pair) => String(pair) !== String([from, to]));
  const rest = { ...marks, [kind]: others.length < list.length ? others : [...list, [from, to]] };
  if (rest[kind].length === 0) delete rest[kind];
  return rest;
}

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];

/** Returns the first letter or number that is not a label yet. */
function nextLabel(marks, kind) {
  const used = new Set((marks.label ?? []).map(([, text]) => text));
  if (kind === "letter") return LETTERS.find((text) => !used.has(text)) ?? "?";
  let number = 1;
  while (used.has(String(number))) number += 1;
  return String(number);
}

/** Returns the marked territory as a matrix (1 Black's, -1 White's), or null if there is none. */
export function territory(game, marks) {
  if (!TERRITORY.some((kind) => marks[kind])) return null;
  return game.matrix(TERRITORY.flatMap((kind, index) => (marks[kind] ?? []).map((vertex) => [vertex, 1 - 2 * index])));
}

/** Returns the points that the markup `kind` ("dim" or "view") selects at `node`; it applies until it is changed. */
export function inherited(node, kind) {
  for (let at = node; at; at = at.parent) if (at.marks[kind]) return at.marks[kind];
  return [];
}

/** True if a node has markup that is drawn. */
export const hasMarks = ({ marks }) => Object.keys(marks).length > 0;
