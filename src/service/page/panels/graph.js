// Graph of a game: Black's lead or win rate by move, with marks for mistakes. Dragging moves through the game.

import { make, makeButton, svg, write } from "/core/dom.js";
import { addSetting, set, settings } from "/core/settings.js";
import { seek } from "/game/navigation.js";
import { againstEngine, state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { lead, number, percent, signed, t } from "/texts/texts.js";

/** Space around the plot for the labels, in CSS pixels. */
const [LEFT, RIGHT, TOP, BOTTOM] = [34, 8, 8, 18];
/** Ranges of the lead, in points; the smallest one that contains nearly all leads is used. */
const RANGES = [5, 10, 15, 20, 30, 40, 60, 80, 120, 160];
/** Share of the positions whose leads may be beyond the range. */
const OUTLIERS = 0.04;
/** Steps between labelled moves. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
/** Distance in CSS pixels from which a finger moves through the game. */
const SIDEWAYS = 8;
/** Number of positions without a value that the curve bridges. */
const BRIDGED = 3;
/** Minimum distance of labelled moves, in CSS pixels. */
const DISTANCE = 44;

addSetting({ id: "graphInPlay", group: "analysis", kind: "switch", value: false });
addSetting({ id: "graph", kind: "choice", value: "lead", choices: ["lead", "winrate"], hidden: true });

let root;
let graph;
let text;
let now;
let buttons;
let drawn = ""; // what the graph shows, apart from the current position
let scale = null; // functions from moves and values to pixels
let line = [];
let size = { width: 400, height: 120 }; // of the graph, in CSS pixels

/** Functions of the two kinds: the value of a node, the range, labels. */
const KINDS = {
  lead: {
    value: ({ lead: margin }) => margin,
    range(values) {
      const sizes = values.map(Math.abs).sort((one, two) => one - two);
      const most = sizes[Math.ceil((1 - OUTLIERS) * sizes.length) - 1] ?? 0;
      const far = RANGES.find((range) => range >= most) ?? RANGES.at(-1);
      return { low: -far, high: far, middle: 0, ticks: [far, far / 2, 0, -far / 2, -far] };
    },
    label: (value) => (value === 0 ? "0" : signed(value).replace(/[.,]0$/, "")),
  },
  winrate: {
    value: ({ winrate }) => 100 * winrate,
    range: () => ({ low: 0, high: 100, middle: 50, ticks: [100, 75, 50, 25, 0] }),
    label: (value) => percent(value / 100),
  },
};

/** Returns the index of the position under the pointer. */
function indexAt(event) {
  const { left, width } = graph.getBoundingClientRect();
  const share = (event.clientX - left - LEFT) / (width - LEFT - RIGHT);
  return Math.min(Math.max(Math.round(share * (scale.count - 1)), 0), line.length - 1);
}

/** Goes to the position under the pointer. */
const choose = (event) => seek(line[indexAt(event)]);

/** Draws the axes: lines at some values and some moves, with labels. */
function axes({ x, y, width, height, count }, { ticks }, label) {
  const parts = [];
  ticks.forEach((value, index) => {
    const at = y(value).toFixed(1);
    parts.push(svg("path", { d: `M${LEFT} ${at}H${width - RIGHT}`, class: index === 2 ? "axis middle" : "axis" }));
    if (index % 2 === 0) parts.push(svg("text", { x: LEFT - 4, y: Number(at) + (index === 0 ? 4 : index === 4 ? 0 : 3.5), class: "tick value" }, label(value)));
  });
  const step = STEPS.find((one) => x(one) - x(0) >= DISTANCE) ?? STEPS.at(-1);
  for (let move = 0; move < count; move += step) {
    parts.push(svg("text", { x: Math.min(x(move), width - 12).toFixed(1), y: height - 4, class: "tick" }, number(move)));
  }
  return parts;
}

/** Returns the places of the known values, as lists of [x, y] for each part without larger gaps. */
function known(values, { x, y }) {
  const parts = [];
  let latest = -Infinity;
  values.forEach((value, index) => {
    if (value === null) return;
    if (index - latest > BRIDGED + 1) parts.push([]);
    parts.at(-1).push([x(index).toFixed(1), y(value).toFixed(1)]);
    latest = index;
  });
  return parts;
}

/** Returns the path through the places of a part; a single place is a point. */
function curve(places) {
  if (places.length === 1) return `M${places[0].join(" ")}h.01`;
  return `M${places.map((place) => place.join(" ")).join("L")}`;
}

/** Returns the area between the curve of a part and the middle of the graph. */
function area(places, middle) {
  const ends = [places.at(-1)[0], places[0][0]].map((x) => `${x} ${middle}`);
  return `M${[...places.map((place) => place.join(" ")), ...ends].join("L")}Z`;
}

/** Draws marks for mistakes and blunders in the colours of the players. */
function marks(values, { x, y }) {
  return line.flatMap((node, index) => {
    const { review } = node;
    if (!review || values[index] === null || !(review.turning || ["mistake", "blunder"].includes(review.grade))) return [];
    const place = { cx: x(index).toFixed(1), cy: y(values[index]).toFixed(1) };
    return [svg("circle", { ...place, r: review.turning ? 4.6 : 3.2, class: `mistake ${review.color} loss-${review.loss}` })];
  });
}

function draw(nodes) {
  const kind = KINDS[settings.graph];
  const values = nodes.map(({ value }) => (value ? kind.value(value) : null));
  const range = kind.range(values.filter((value) => value !== null));
  const { width, height } = size;
  const count = Math.max(values.length, 2);
  const clamp = (value) => Math.min(Math.max(value, range.low), range.high);
  scale = {
    width, height, count,
    x: (index) => LEFT + (index / (count - 1)) * (width - LEFT - RIGHT),
    y: (value) => TOP + ((range.high - clamp(value)) / (range.high - range.low)) * (height - TOP - BOTTOM),
  };
  const parts = known(values, scale);
  const clip = (id, y, tall) => svg("clipPath", { id }, svg("rect", { x: 0, y, width, height: Math.max(tall, 0) }));
  const middle = scale.y(range.middle);
  const path = parts.map((places) => area(places, middle.toFixed(1))).join("");
  graph.setAttribute("viewBox", `0 0 ${width} ${height}`);
  now = svg("path", { class: "now" });
  graph.replaceChildren(
    svg("defs", {}, clip("graph-above", 0, middle), clip("graph-below", middle, height - middle)),
    ...axes(scale, range, kind.label),
    svg("path", { d: path, class: "area black", "clip-path": "url(#graph-above)" }),
    svg("path", { d: path, class: "area white", "clip-path": "url(#graph-below)" }),
    ...parts.map((places) => svg("path", { d: curve(places), class: places.length === 1 ? "curve point" : "curve" })),
    now, ...marks(values, scale));
}

/** Draws the graph if anything but the current position has changed. */
function drawIfChanged() {
  const { width, height } = size;
  const parts = line.map(({ value, review }) => (value ? `${value.lead.toFixed(2)},${value.winrate.toFixed(4)},${review?.number ?? ""}` : ""));
  const signature = [settings.graph, width, height, t("graph.label"), ...parts].join(" ");
  if (signature === drawn) return;
  drawn = signature;
  draw(line);
}

function valueText(value) {
  if (!value) return "";
  const color = value.lead < -0.05 ? "white" : "black";
  const share = percent(color === "black" ? value.winrate : 1 - value.winrate);
  return Math.abs(value.lead) < 0.05 ? t("value.even", { share }) : t("value.text", { lead: lead(value.lead), share });
}

const kindButton = (kind) => makeButton({ id: `graph-${kind}`, text: `graph.${kind}` }, () => set("graph", kind));

function listen() {
  let start = null; // where a finger has touched the graph, until it moves sideways or leaves
  graph.addEventListener("pointerdown", (event) => {
    graph.setPointerCapture(event.pointerId);
    start = event.pointerType === "mouse" ? null : event.clientX;
    if (start === null) choose(event);
  });
  graph.addEventListener("pointermove", (event) => {
    if (!graph.hasPointerCapture(event.pointerId)) return;
    // A finger that moves up or down scrolls the page; the browser then takes the pointer away.
    if (start !== null && Math.abs(event.clientX - start) < SIDEWAYS) return;
    start = null;
    choose(event);
  });
  graph.addEventListener("pointerup", (event) => start !== null && choose(event));
  new ResizeObserver(([{ contentRect: { width, height } }]) => {
    if (width === 0) return;
    size = { width, height };
    update();
  }).observe(graph);
}

function update() {
  const { game } = state;
  line = game.line();
  // During a game, the estimates of the engine would be hints.
  const isSecret = againstEngine() && !game.over && !state.analysing && !settings.graphInPlay;
  root.hidden = isSecret || !line.some(({ value }) => value);
  if (root.hidden) return;
  for (const kind of Object.keys(KINDS)) buttons[kind].setAttribute("aria-pressed", settings.graph === kind);
  const { value } = game.here;
  const sentence = valueText(value);
  write(text, sentence);
  drawIfChanged();
  const index = line.indexOf(game.here);
  now.setAttribute("d", `M${scale.x(index).toFixed(1)} ${TOP}V${scale.height - BOTTOM}`);
  graph.setAttribute("aria-valuemax", line.length - 1);
  graph.setAttribute("aria-valuenow", index);
  graph.setAttribute("aria-valuetext", t("graph.value", { number: game.number, value: sentence || t("graph.none") }));
}

addPanel({
  id: "graph-panel", place: "side", order: 1, label: "graph.label", topics: ["position", "tree", "game", "settings", "review", "analysis", "result"],
  build(panel) {
    root = panel;
    graph = svg("svg", { id: "graph", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuenow": 0 });
    text = make("p", { id: "value" });
    buttons = { lead: kindButton("lead"), winrate: kindButton("winrate") };
    root.append(make("div", { class: "row spread graph-head" }, text,
      make("div", { class: "segments", role: "group", label: "graph.kind" }, buttons.lead, buttons.winrate)), graph);
    listen();
  },
  update() {
    graph.setAttribute("aria-label", t("graph.label"));
    update();
  },
});
