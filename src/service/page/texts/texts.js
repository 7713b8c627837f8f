// Texts of the page in all languages. Each language has a table with the same keys (a test compares them).
//
// A text can contain parameters: "{name}" is replaced by the parameter, formatted for the language; "{name|one|other}"
// selects a word by the number `name`. Some parameters have a meaning: `color` is "black" or "white", `vertex` and
// `point` are a point or "pass", lists are points, `result` is a result as in SGF, `points` a number of points.

import { changed } from "/core/store.js";
import { recall, remember } from "/core/storage.js";
import { matchLanguage, numberText, pointsText, resultText } from "/texts/format.js";
import en from "/texts/en.js";
import ja from "/texts/ja.js";
import ko from "/texts/ko.js";
import hans from "/texts/zh-Hans.js";
import hant from "/texts/zh-Hant.js";

/** Tables by language tag. */
export const TABLES = { en, "zh-Hans": hans, "zh-Hant": hant, ja, ko };
const KEY = "honinbo-language";

let chosen = recall("local", KEY);
let current = select();
/** Function that writes a vertex in the coordinates of the board. */
let vertexText = (vertex) => vertex;

function select() {
  return chosen in TABLES ? chosen : matchLanguage(navigator.languages ?? [navigator.language], Object.keys(TABLES));
}

/** Tag of the current language. */
export const language = () => current;
/** Language chosen by the user, or "" for the language of the browser. */
export const chosenLanguage = () => (chosen in TABLES ? chosen : "");

/** Switches to a language, or to the language of the browser if `tag` is "". */
export function setLanguage(tag) {
  chosen = tag;
  remember("local", KEY, tag);
  current = select();
  document.documentElement.lang = current;
  changed("language");
}

/** Sets the function that writes vertices. */
export function setVertexText(write) {
  vertexText = write;
}

/** True if the text exists. */
export const hasText = (key) => key in TABLES.en;

/** Returns a text in the current language; missing texts are shown in English. */
export function t(key, params = {}) {
  const template = TABLES[current][key] ?? en[key] ?? key;
  if (!template.includes("{")) return template;
  return template.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    const value = params[name];
    if (one !== undefined) return value === 1 ? one : other;
    return shown(name, value);
  });
}

function shown(name, value) {
  if (name === "color") return t(`color.${value}`);
  if (Array.isArray(value)) return value.map(vertexText).join(" ");
  if (name === "point" && value) return vertexText(value);
  if (name === "vertex") return value === "pass" ? t("vertex.pass") : vertexText(value);
  if (name === "result") return result(value);
  if (name === "points") return points(value);
  if (name === "used" && typeof value === "string") return rules(value);
  return typeof value === "number" ? number(value) : String(value ?? "");
}

/** Formats a number; `digits` is its number of decimals. */
export const number = (value, digits) => numberText(current, value, digits);
/** Formats a fraction as a whole percentage. */
export const percent = (share) => numberText(current, share, 0, "percent");
/** Formats a number with its sign and one decimal; values that round to zero have no sign. */
export function signed(value) {
  const rounded = Math.round(10 * value) / 10;
  return `${rounded < 0 ? "−" : rounded > 0 ? "+" : ""}${number(Math.abs(rounded), 1)}`;
}
/** Formats a number of points, such as "2.5 points", "2目半" or "2집반". */
export const points = (value) => pointsText(t, value);
/** Formats a result in SGF notation, such as "W+2.5", as a sentence. */
export const result = (sgf) => resultText(t, sgf);
/** Formats a lead of Black in points, such as "Black +2.5". */
export function lead(value) {
  if (Math.abs(value) < 0.05) return t("lead.even");
  return t("lead.side", { color: value > 0 ? "black" : "white", amount: number(Math.abs(value), 1) });
}
/** Formats a date of SGF (YYYY-MM-DD) for the language; other texts stay as they are. */
export function date(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return text;
  const time = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(time.getTime()) ? text : new Intl.DateTimeFormat(current, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}
/** Formats a rank such as "5k", "3d" or "9p"; other texts stay as they are. */
export function rank(text) {
  const [, level, kind] = /^(\d+)\s*([kdp])$/i.exec(text) ?? [];
  return kind ? t(`rank.${kind.toLowerCase()}`, { n: Number(level) }) : text;
}
/** Names that the page has given to players, in all languages, with their text keys and parameters. */
const GIVEN = new Map(Object.values(TABLES).flatMap((table) => [
  [table["player.you"], ["player.you"]],
  ...Array.from({ length: 10 }, (_, index) => [table["player.engine"].replace("{level}", index + 1), ["player.engine", { level: index + 1 }]]),
]));
/** Returns a player's name; names given by the page are translated. */
export const player = (name) => (GIVEN.has(name) ? t(...GIVEN.get(name)) : name);
/** Returns the name of a rule set in the current language. */
export const rules = (name) => (hasText(`rules.${name}`) ? t(`rules.${name}`) : name);

document.documentElement.lang = current;
