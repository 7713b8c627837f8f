// SGF reader for times without the service, which otherwise reads files: it knows the many variants of the format and
// other formats, and repairs errors. This one reads correct files, and returns what the service does (`readGoban`).

import { LETTERS } from "/game/geometry.js";
import { ruleSet } from "/game/rules.js";
import { INFO, MARKS } from "/game/sgf.js";

const SET_UP = { AB: "black", AW: "white", AE: "empty" };
const TITLES = { GN: "name", EV: "event", PB: "black", PW: "white", DT: "date", RE: "result" };
const TEXTS = { PB: "black", PW: "white", DT: "date", RE: "result", RU: "named" };
/** Properties that are read, in all nodes and in the root; others stay as they are. */
const READ = ["AP", "B", "C", "CA", "FF", "GM", "PL", "SZ", "W", "SBKV", "SBKS", ...Object.keys(SET_UP)];
const READ_IN_ROOT = [...Object.keys(TEXTS), "HA", "KM"];
const COLORS = { B: "black", W: "white" };
/** Ways of writing rule sets in files. Equal rules have one name, as in the service. */
const RULES = [
  [/ancient.?chinese|stone.?scoring|古代中/i, "stone-scoring"], [/aga.?button/i, "aga-button"], [/kgs/i, "chinese-ogs"], [/ogs/i, "chinese-ogs"],
  [/tromp/i, "tromp-taylor"], [/jap|日本|일본|^jp/i, "japanese"], [/chin|中[国國]|중국|^cn/i, "chinese"], [/kor|한국|[韓韩][国國]/i, "japanese"],
  [/aga|american/i, "aga"], [/bga|british/i, "aga"], [/zealand|^nz/i, "new-zealand"], [/^ing|goe|sst/i, "ing"],
];
const SIZES = [2, 19];
/** Komi of files without it, by rule set. */
const KOMI = { "japanese": 6.5, "ancient-territory": 6.5, "aga-button": 7, "new-zealand": 7 };

const PROPERTY = String.raw`([A-Za-z]+)((?:\s*\[(?:\\[\s\S]|[^\\\]])*\])+)`;
const [TOKEN, ONLY_PROPERTY] = [new RegExp(`[();]|${PROPERTY}`, "g"), new RegExp(PROPERTY, "g")];

/** Returns the properties in the text of a node as pairs of the name and the text of the values. */
export const propertiesOf = (text) => [...text.matchAll(ONLY_PROPERTY)].map(([, name, values]) => [name, values]);

/** Returns the values in the text of a property's values, with their escapes. */
export const valuesOf = (text) => [...text.matchAll(/\[((?:\\[\s\S]|[^\\\]])*)\]/g)].map(([, value]) => value);

/** Splits a text into games: lists of nodes, {parent (index or null), properties (map of names and raw values)}. */
function split(text) {
  const games = [];
  const open = [];
  let nodes = null;
  let at = null;
  for (const [token, name, values] of text.matchAll(TOKEN)) {
    if (token === "(") {
      open.push(at);
      if (open.length === 1) games.push(nodes = []);
    } else if (token === ")") {
      at = open.pop() ?? null;
    } else if (open.length > 0 && token === ";") {
      nodes.push({ parent: at, properties: new Map() });
      at = nodes.length - 1;
    } else if (open.length > 0 && name && at !== null) {
      const { properties } = nodes[at];
      // Older files have lower-case letters in names.
      const short = name.replace(/[a-z]/g, "");
      properties.set(short, [...properties.get(short) ?? [], ...valuesOf(values)]);
    }
  }
  return games.filter(({ length }) => length > 0);
}

/** Returns a value without escapes; `simple`: as a single line. */
export function plain(value = "", simple = true) {
  const text = value.replace(/\\(?:\r\n|\n\r|\n|\r)/g, "").replace(/\\([\s\S])/g, "$1").replace(/\r\n?/g, "\n");
  return simple ? text.replace(/\s/g, " ").trim() : text;
}

/** Returns functions that read points and moves on a board of this size. They throw an error for other values. */
function reader([columns, rows]) {
  const place = (text) => {
    const [x, y] = [...text].map((letter) => letter.charCodeAt(0) - 97);
    if (text.length !== 2 || !(x >= 0 && x < columns && y >= 0 && y < rows)) throw new RangeError(text);
    return [x, y];
  };
  const vertex = ([x, y]) => LETTERS[x] + (rows - y);
  const point = (text) => vertex(place(plain(text)));
  // A pass is also written as the point beyond the lower right corner, of this board or of a board of 19 lines.
  const passes = ["", "tt", "zz", "--", String.fromCharCode(97 + columns, 97 + rows)];
  const move = (text) => (passes.includes(plain(text)) ? "pass" : point(text));
  /** Points of a list, in which "aa:cc" is a rectangle. */
  const points = (values) => values.filter((value) => plain(value)).flatMap((value) => {
    const [[left, top], [right, bottom] = [left, top]] = plain(value).split(":").map(place);
    return Array.from({ length: (right - left + 1) * (bottom - top + 1) }, (_, at) => (
      vertex([left + at % (right - left + 1), top + Math.floor(at / (right - left + 1))])));
  });
  return { point, move, points };
}

/** Returns the marks of a node, by their names on the page. */
function marksOf(properties, { point, points }) {
  const marks = {};
  for (const [kind, name] of Object.entries(MARKS)) {
    const values = properties.get(name);
    if (!values) continue;
    try {
      if (kind === "label") marks[kind] = values.map((value) => [point(value.slice(0, value.indexOf(":"))), plain(value.slice(value.indexOf(":") + 1))]);
      else marks[kind] = kind === "arrow" || kind === "line" ? values.map((value) => value.split(":").map(point)) : points(values);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return marks;
}

/** Returns the fields of a node besides its moves and stones. */
function fieldsOf(properties, read, isRoot) {
  const fields = {};
  const turn = COLORS[plain(properties.get("PL")?.[0])[0]?.toUpperCase()];
  if (turn) fields.turn = turn;
  if (properties.has("SBKV")) fields.winrate = Number(properties.get("SBKV")[0]) / 100;
  if (properties.has("SBKS")) fields.scoreLead = Number(properties.get("SBKS")[0]);
  if (properties.has("C")) fields.comment = plain(properties.get("C")[0], false);
  const marks = marksOf(properties, read);
  if (Object.keys(marks).length > 0) fields.marks = marks;
  const isRead = (name) => READ.includes(name) || Object.entries(MARKS).some(([kind, property]) => property === name && marks[kind])
    || (isRoot && (READ_IN_ROOT.includes(name) || Object.values(INFO).includes(name)));
  const rest = [...properties].filter(([name]) => !isRead(name)).map(([name, values]) => name + values.map((value) => `[${value}]`).join("")).join("");
  return rest ? { ...fields, rest } : fields;
}

/** Returns the nodes of a game. One with stones and moves becomes several; a move off the board ends its line. */
function nodesOf(nodes, size) {
  const read = reader(size);
  const last = new Map(); // index of the last part of each node
  const told = [];
  nodes.forEach(({ parent, properties }, index) => {
    if (parent !== null && !last.has(parent)) return;
    try {
      const stones = {};
      for (const [name, field] of Object.entries(SET_UP)) if (properties.has(name)) stones[field] = read.points(properties.get(name));
      const parts = ["B", "W"].filter((name) => properties.has(name)).map((name) => ({ move: [name, read.move(properties.get(name)[0])] }));
      if (parts.length === 0 || Object.keys(stones).length > 0) parts.unshift(stones);
      Object.assign(parts.at(parent === null ? 0 : -1), fieldsOf(properties, read, parent === null));
      parts.forEach((part, number) => told.push({ ...part, parent: number > 0 ? told.length - 1 : parent === null ? null : last.get(parent) }));
      last.set(index, told.length - 1);
    } catch (error) {
      if (!(error instanceof RangeError) || parent === null) throw error;
    }
  });
  return told;
}

function rulesOf(text) {
  return RULES.find(([pattern]) => pattern.test(text))?.[1] ?? (ruleSet(text) ? text : "chinese-ogs");
}

const unreadable = () => Object.assign(new Error("not SGF"), { code: "sgf", kind: "notAGame" });

/** Returns the game with this index of an SGF text, in the form of the response to `readGoban`. */
export function readSgf(text, index) {
  const games = split(text);
  const nodes = games[index ?? 0];
  if (!nodes) throw unreadable();
  const root = nodes[0].properties;
  const value = (name) => plain(root.get(name)?.[0]);
  const sides = (value("SZ") || "19").split(":").map(Number);
  const size = [sides[0], sides.at(-1)];
  if (size.some((side) => !(side >= SIZES[0] && side <= SIZES[1]))) throw unreadable();
  const rules = rulesOf(value("RU"));
  const komi = Number.parseFloat(value("KM").replace(",", "."));
  const handicap = Number.parseInt(value("HA"), 10) > 1 ? Number.parseInt(value("HA"), 10) : 0;
  const info = {};
  for (const [field, name] of Object.entries(INFO)) if (root.has(name)) info[field] = plain(root.get(name)[0], name !== "GC");
  const told = { size, komi: Number.isNaN(komi) ? KOMI[rules] ?? 7.5 : komi, rules, handicap, info, others: 0 };
  for (const [name, field] of Object.entries(TEXTS)) told[field] = value(name);
  try {
    told.nodes = nodesOf(nodes, size);
  } catch (error) {
    throw error instanceof RangeError ? unreadable() : error;
  }
  told.color = told.nodes[0].turn ?? COLORS[told.nodes.find(({ move }) => move)?.move[0]] ?? (handicap > 1 ? "white" : "black");
  if (index !== undefined || games.length === 1) return told;
  const title = ([{ properties }]) => Object.fromEntries(Object.entries(TITLES).filter(([name]) => plain(properties.get(name)?.[0]))
    .map(([name, field]) => [field, plain(properties.get(name)[0])]));
  return { ...told, others: games.length - 1, games: games.map(title) };
}
