// Layers of stones: shadows, stones, move numbers, the mark of the last move, and ghost stones of variations.

import { svg } from "/core/dom.js";
import { addLayer } from "/board/layers.js";

const RADIUS = 0.475;
/** Maximum offset of a stone from its point, if stones are placed by hand. */
const OFFSET = 0.035;

/** Returns a pseudo-random number from -1 to 1 that depends on a point. */
function jitter(column, row, salt) {
  const value = Math.sin(column * 127.1 + row * 311.7 + salt * 74.7) * 43758.5453;
  return 2 * (value - Math.floor(value)) - 1;
}

const shift = (column, row, natural) => (natural
  ? `translate(${(OFFSET * jitter(column, row, 1)).toFixed(3)} ${(OFFSET * jitter(column, row, 2)).toFixed(3)})` : "");

/** Creates a stone. `classes` are additional classes. */
export function stone(color, [cx, cy], classes = "", transform = "") {
  const attributes = { cx, cy, r: RADIUS, class: `stone ${color}${classes ? ` ${classes}` : ""}`, fill: `url(#${color}-stone)` };
  if (transform) attributes.transform = transform;
  return svg("circle", attributes);
}

/** Gradients of stones and shadows; the style sheet defines the colours. */
export function stoneGradients() {
  const stops = (kind) => [["0", "lit"], ["0.35", "mid"], ["0.8", "dim"], ["1", "edge"]]
    .map(([offset, part]) => svg("stop", { offset, class: `shade ${kind} ${part}` }));
  return [
    svg("radialGradient", { id: "black-stone", cx: 0.36, cy: 0.3, r: 0.72 }, ...stops("black")),
    svg("radialGradient", { id: "white-stone", cx: 0.38, cy: 0.32, r: 0.72 }, ...stops("white")),
    svg("radialGradient", { id: "shadow" },
      svg("stop", { offset: 0.72, class: "shade shadow dim" }), svg("stop", { offset: 1, class: "shade shadow edge" })),
  ];
}

function* points(matrix) {
  for (let row = 0; row < matrix.length; row += 1) {
    for (let column = 0; column < matrix[row].length; column += 1) {
      if (matrix[row][column] !== 0) yield [column, row, matrix[row][column]];
    }
  }
}

addLayer({
  name: "shadows",
  order: 200,
  items({ matrix, natural }) {
    const items = [];
    for (const [column, row] of points(matrix)) {
      items.push([row * 32 + column, natural, () => svg("circle", {
        cx: column + 0.05, cy: row + 0.08, r: 0.52, fill: "url(#shadow)", transform: shift(column, row, natural),
      })]);
    }
    return items;
  },
});

addLayer({
  name: "stones",
  order: 300,
  items({ matrix, natural, dead, pending }) {
    const items = [];
    for (const [column, row, value] of points(matrix)) {
      const key = `${column},${row}`;
      const classes = dead?.has(key) ? "dead" : key === pending ? "pending" : "";
      items.push([row * 32 + column, `${value}${classes}${natural}`, () => (
        stone(value > 0 ? "black" : "white", [column, row], classes, shift(column, row, natural)))]);
    }
    return items;
  },
});

/** Creates the text of a number on a stone of `color`. */
function numberOn(color, [x, y], text) {
  const size = String(text).length > 2 ? 0.36 : 0.44;
  return svg("text", { x, y, class: `number on-${color}`, "font-size": size }, String(text));
}

addLayer({
  name: "numbers",
  order: 400,
  items({ matrix, numbers, line }) {
    if (line?.length) return [];
    return [...(numbers ?? [])].map(([key, number]) => {
      const at = key.split(",").map(Number);
      const color = matrix[at[1]][at[0]] > 0 ? "black" : "white";
      return [key, `${number}${color}`, () => numberOn(color, at, number)];
    });
  },
});

addLayer({
  name: "last",
  order: 410,
  items({ matrix, last, numbers }) {
    if (!last || numbers?.has(last.join(","))) return [];
    const color = matrix[last[1]][last[0]] > 0 ? "black" : "white";
    return [["last", `${last}${color}`, () => svg("circle", { cx: last[0], cy: last[1], r: 0.24, class: `last on-${color}` })]];
  },
});

addLayer({
  name: "variation",
  order: 700,
  items({ line }) {
    return (line ?? []).map(({ at, color, text }) => [`${at}`, `${color}${text}`, () => (
      svg("g", {}, stone(color, at, "ghost"), numberOn(color, at, text)))]);
  },
});

addLayer({
  name: "aim",
  order: 800,
  items({ aim, matrix, turn, forbidden, line, touched, width, height }) {
    if (!aim || !turn || forbidden?.has(String(aim)) || (line?.length && !touched) || matrix[aim[1]][aim[0]] !== 0) return [];
    const items = [["stone", `${aim}${turn}`, () => svg("circle", {
      cx: aim[0], cy: aim[1], r: RADIUS, class: "aim", fill: `url(#${turn}-stone)`,
    })]];
    // Under a finger the point is hidden, so lines show it.
    if (touched) {
      items.push(["cross", `${aim}`, () => svg("path", { d: `M${aim[0]} 0V${height - 1}M0 ${aim[1]}H${width - 1}`, class: "crosshair" })]);
    }
    return items;
  },
});

addLayer({
  name: "cursor",
  order: 900,
  items({ cursor }) {
    if (!cursor) return [];
    const [x, y] = cursor;
    return ["cursor-edge", "cursor"].map((part) => [part, `${cursor}`, () => (
      svg("rect", { x: x - 0.45, y: y - 0.45, width: 0.9, height: 0.9, rx: 0.08, class: part }))]);
  },
});
