// Markup of game files on the board: symbols, labels, lines and arrows, and restrictions to a part of the board.

import { svg } from "/core/dom.js";
import { addLayer } from "/board/layers.js";
import { addViewSource } from "/board/view.js";
import { brush, drawsLines } from "/game/edit.js";
import { inherited, SYMBOLS, territory } from "/game/marks.js";

addViewSource((view, { game, mode, lineStart, lineEnd }) => {
  if (mode === "score" || mode === "estimate") return;
  const { here, here: { marks } } = game;
  const markers = SYMBOLS.flatMap((kind) => (marks[kind] ?? []).map((vertex) => ({ at: game.place(vertex), kind })));
  for (const [vertex, text] of marks.label ?? []) markers.push({ at: game.place(vertex), kind: "label", text });
  if (mode === "edit" && lineStart) markers.push({ at: game.place(lineStart), kind: "selected" });
  view.owners = territory(game, marks) ?? view.owners;
  if (markers.length > 0) view.markers = [...view.markers ?? [], ...markers];
  const lines = ["arrow", "line"].flatMap((kind) => (marks[kind] ?? []).map(([from, to]) => (
    { from: game.place(from), to: game.place(to), arrow: kind === "arrow" })));
  view.draws = drawsLines();
  if (view.draws && lineStart && lineEnd) lines.push({ from: game.place(lineStart), to: game.place(lineEnd), arrow: brush.tool === "arrow" });
  if (lines.length > 0) view.arrows = [...view.arrows ?? [], ...lines];
  // The circle of the last move would hide a mark on the same stone.
  if (view.last && markers.some(({ at }) => String(at) === String(view.last))) view.last = null;
  // The editor shows the whole board.
  if (mode === "edit") return;
  const dimmed = new Set(inherited(here, "dim").map((vertex) => String(game.place(vertex))));
  const visible = new Set(inherited(here, "view").map((vertex) => String(game.place(vertex))));
  if (dimmed.size > 0) view.dimmed = dimmed;
  if (visible.size > 0) view.visible = visible;
});

// Covers dimmed points partly, and points outside the visible part.
addLayer({
  name: "covers",
  order: 480,
  items: ({ matrix, dimmed, visible }) => (!dimmed && !visible ? [] : matrix.flatMap((row, y) => row.flatMap((_, x) => {
    const kind = visible && !visible.has(`${x},${y}`) ? "hidden" : dimmed?.has(`${x},${y}`) ? "dimmed" : "";
    return kind ? [[y * 32 + x, kind, () => svg("rect", { x: x - 0.505, y: y - 0.505, width: 1.01, height: 1.01, class: `cover ${kind}` })]] : [];
  }))),
});
