// Layers of marks: paint and owners of points, markers of game files, heat, discs of candidate moves, lines and arrows.

import { svg } from "/core/dom.js";
import { addLayer } from "/board/layers.js";

function cells(matrix, item) {
  return (matrix ?? []).flatMap((row, y) => row.map((value, x) => (value === 0 ? null : item(value, x, y)))).filter(Boolean);
}

addLayer({
  name: "paint",
  order: 100,
  items: ({ paint }) => cells(paint, (value, x, y) => {
    const alpha = Math.min(Math.abs(value), 1) ** 1.33;
    if (alpha < 0.05) return null;
    const color = value > 0 ? "black" : "white";
    return [y * 32 + x, `${color}${alpha.toFixed(2)}`, () => svg("rect", {
      x: x - 0.5, y: y - 0.5, width: 1, height: 1, class: `paint ${color}`, opacity: (0.6 * alpha).toFixed(2),
    })];
  }),
});

addLayer({
  name: "owners",
  order: 420,
  items: ({ owners }) => cells(owners, (value, x, y) => {
    const side = 0.36 * Math.abs(value);
    if (side <= 0.04) return null;
    const color = value > 0 ? "black" : "white";
    return [y * 32 + x, `${color}${side.toFixed(2)}`, () => svg("rect", {
      x: x - side / 2, y: y - side / 2, width: side, height: side, class: `owner ${color}`,
    })];
  }),
});

addLayer({
  name: "branches",
  order: 450,
  items: ({ branches, matrix }) => (branches ?? []).filter(({ at: [x, y] }) => matrix[y][x] === 0).map(({ at: [cx, cy], color }) => [`${cx},${cy}`, color, () => (
    svg("circle", { cx, cy, r: 0.2, class: `branch ${color}` }))]),
});

const SHAPES = {
  triangle: (x, y) => svg("path", { d: `M${x} ${y - 0.3}L${x + 0.27} ${y + 0.17}H${x - 0.27}Z` }),
  square: (x, y) => svg("rect", { x: x - 0.22, y: y - 0.22, width: 0.44, height: 0.44 }),
  circle: (x, y) => svg("circle", { cx: x, cy: y, r: 0.24 }),
  cross: (x, y) => svg("path", { d: `M${x - 0.22} ${y - 0.22}l.44 .44M${x + 0.22} ${y - 0.22}l-.44 .44` }),
  selected: (x, y) => svg("rect", { x: x - 0.2, y: y - 0.2, width: 0.4, height: 0.4, class: "filled" }),
};

function labelled(x, y, text, under) {
  const group = svg("g", {});
  // On an empty point the lines of the grid must not cross the text.
  if (under === "empty") group.append(svg("circle", { cx: x, cy: y, r: 0.36, class: "backing" }));
  const length = [...text].length;
  group.append(svg("text", { x, y, "font-size": length > 2 ? 0.36 : length > 1 ? 0.46 : 0.58 }, text));
  return group;
}

addLayer({
  name: "markers",
  order: 500,
  items: ({ markers, matrix }) => (markers ?? []).map(({ at: [x, y], kind, text = "" }) => {
    const under = ["white", "empty", "black"][matrix[y][x] + 1];
    return [`${x},${y},${kind}`, `${under}${text}`, () => {
      const mark = kind === "label" ? labelled(x, y, text, under) : SHAPES[kind](x, y);
      mark.classList.add("marker", kind, `on-${under}`);
      return mark;
    }];
  }),
});

addLayer({
  name: "heat",
  order: 550,
  items: ({ heat }) => cells(heat, (value, x, y) => {
    const text = value >= 0.01 ? `${Math.round(100 * value)}` : "";
    return [y * 32 + x, value.toFixed(2), () => svg("g", { class: "heat" },
      svg("circle", { cx: x, cy: y, r: (0.2 + 0.26 * Math.min(1, value * 2)).toFixed(2), opacity: (0.6 + 0.35 * Math.min(1, value * 2)).toFixed(2) }),
      svg("text", { x, y, "font-size": value >= 0.1 ? 0.38 : 0.3 }, text))];
  }),
});

addLayer({
  name: "discs",
  order: 600,
  items: ({ discs, line }) => (line?.length ? [] : discs ?? []).map((disc) => {
    const { at: [x, y], lines = [], kind = "", best = false, ringed = false, scale = 1, alpha = 1 } = disc;
    const signature = [kind, best, ringed, scale, alpha.toFixed(2), ...lines].join("|");
    return [`${x},${y}`, signature, () => svg("g", {},
      svg("circle", { cx: x, cy: y, r: 0.46 * scale, class: `hint ${kind}${best ? " best" : ""}`, opacity: alpha.toFixed(2) }),
      ...(best ? [svg("circle", { cx: x, cy: y, r: 0.45 * scale, class: "hint-ring" })] : []),
      ...(ringed ? [svg("circle", { cx: x, cy: y, r: 0.5 * scale, class: "hint-played" })] : []),
      ...lines.map((text, index) => svg("text", {
        x, y: y + 0.12 + (index - (lines.length - 1) / 2) * 0.32, class: `hint-text ${kind}`, "font-size": index > 0 ? 0.26 : text.length > 4 ? 0.27 : lines.length > 1 || text.length > 3 ? 0.34 : 0.42,
      }, text)))];
  }),
});

addLayer({
  name: "lines",
  order: 650,
  items: ({ arrows }) => (arrows ?? []).map(({ from: [x, y], to: [u, v], arrow = true }) => [`${x},${y},${u},${v}`, arrow, () => (
    svg("path", { d: `M${x} ${y}L${u} ${v}`, class: "arrow", ...(arrow ? { "marker-end": "url(#arrow-head)" } : {}) }))]),
});

/** The head of arrows. */
export const arrowHead = () => svg("marker", { id: "arrow-head", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto-start-reverse" },
  svg("path", { d: "M0 0L10 5L0 10Z", class: "arrow-head" }));
