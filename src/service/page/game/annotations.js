// Annotations of nodes that SGF has properties for: a name, judgements of the move and of the position, and hotspots. They
// are stored among the properties of the node that the page otherwise only keeps.

import { escaped } from "/game/sgf.js";
import { plain, propertiesOf, valuesOf } from "/game/sgf_reader.js";

/** Values of the judgements of a move. Those with a 2 are emphasised ("very good"). */
export const MOVES = ["TE", "TE2", "IT", "DO", "BM", "BM2"];
/** Values of the judgements of a position. */
export const POSITIONS = ["GB", "GB2", "GW", "GW2", "DM", "UC"];

/** Returns the first value of a property. */
const valueOf = (values) => plain(valuesOf(values)[0]);

/** Returns the judgement among `known` that the properties contain, or "". */
function judgement(properties, known) {
  const [name, values] = properties.find(([property]) => known.includes(property)) ?? [];
  if (!name) return "";
  return valueOf(values) === "2" && known.includes(`${name}2`) ? `${name}2` : name;
}

/** Returns the annotations of a node: `name`, `move` and `position` ("" if there is none), and `hotspot` (a flag). */
export function annotationsOf({ rest }) {
  const properties = propertiesOf(rest);
  const [, name] = properties.find(([property]) => property === "N") ?? [];
  return {
    name: name ? valueOf(name) : "",
    move: judgement(properties, MOVES), position: judgement(properties, POSITIONS),
    hotspot: properties.some(([property]) => property === "HO"),
  };
}

/** Returns the SGF text of a judgement. */
const written = (value) => (value ? `${value.slice(0, 2)}[${value[2] ?? (value === "DO" || value === "IT" ? "" : "1")}]` : "");

/** Returns the properties `rest` of a node with other annotations. */
export function withAnnotations(rest, { name, move, position, hotspot }) {
  const replaced = new Set(["N", "HO", ...MOVES, ...POSITIONS]);
  const kept = propertiesOf(rest).filter(([property]) => !replaced.has(property)).map((pair) => pair.join(""));
  return (name ? `N[${escaped(name)}]` : "") + written(move) + written(position) + (hotspot ? "HO[1]" : "") + kept.join("");
}
