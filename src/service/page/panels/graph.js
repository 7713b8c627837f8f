// Graph of a game: Black's win rate as a solid line, Black's lead as a dashed line.

import { make, svg, write } from "/core/dom.js";
import { go } from "/game/play.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { lead, percent, t } from "/texts/texts.js";

const [WIDTH, HEIGHT] = [320, 90];
/** Lead, in points, at the edge of the graph; larger leads are clamped. */
const FAR = 30;

let root;
let graph;
let text;
let count = 2;

/** Returns the index of the position under the pointer. */
function indexAt(event) {
  const { left, width } = graph.getBoundingClientRect();
  return Math.min(Math.max(Math.round(((event.clientX - left) / width) * (count - 1)), 0), count - 1);
}

function choose(event) {
  const node = state.game.line()[indexAt(event)];
  if (node && node !== state.game.here) go(node);
}

function curve(values, height) {
  let pen = "M";
  return values.map((value, index) => {
    if (!value) return "";
    const step = `${pen}${((index / (count - 1)) * WIDTH).toFixed(1)} ${height(value).toFixed(1)}`;
    pen = "L";
    return step;
  }).join("");
}

/** Draws the values of the positions, {winrate, lead} or null, and marks the current position, `now`. */
function draw(values, now) {
  count = Math.max(values.length, 2);
  const clamped = ({ lead: margin }) => Math.min(Math.max(margin / FAR, -1), 1);
  const x = (now / (count - 1)) * WIDTH;
  graph.replaceChildren(
    svg("path", { d: `M0 ${HEIGHT / 2}H${WIDTH}`, class: "axis" }),
    svg("path", { d: curve(values, (value) => (1 - clamped(value)) * HEIGHT / 2), class: "lead" }),
    svg("path", { d: curve(values, ({ winrate }) => (1 - winrate) * HEIGHT), class: "curve" }),
    svg("path", { d: `M${x} 0V${HEIGHT}`, class: "now" }),
  );
}

addPanel({
  id: "graph-panel", place: "side", order: 1, label: "graph.label", topics: ["position", "tree", "game"],
  build(panel) {
    root = panel;
    graph = svg("svg", { id: "graph", role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" });
    text = make("p", { id: "value" });
    root.append(graph, text);
    graph.addEventListener("pointerdown", (event) => {
      graph.setPointerCapture(event.pointerId);
      choose(event);
    });
    graph.addEventListener("pointermove", (event) => graph.hasPointerCapture(event.pointerId) && choose(event));
  },
  update() {
    const { game } = state;
    const line = game.line();
    const values = line.map(({ value }) => value);
    root.hidden = !values.some(Boolean);
    const { value } = game.here;
    const side = value?.lead < 0 ? "white" : "black";
    const sentence = value ? t("value.text", {
      lead: lead(value.lead), share: percent(side === "black" ? value.winrate : 1 - value.winrate), color: side,
    }) : "";
    write(text, sentence);
    if (root.hidden) return;
    draw(values, line.indexOf(game.here));
    graph.setAttribute("aria-label", value ? `${t("graph.label")}. ${sentence}` : t("graph.none"));
  },
});
