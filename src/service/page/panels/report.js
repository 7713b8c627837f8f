// Panel of the totals of a reviewed game: accuracy, losses by phase, first choices, and the numbers of moves by class.

import { make } from "/core/dom.js";
import { LIMITS } from "/game/loss.js";
import { playerStatistics } from "/game/review_data.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { playerName } from "/panels/players.js";
import { number, percent, t } from "/texts/texts.js";

const PHASES = ["opening", "middlegame", "endgame"];
const NONE = "–";
let root;
let body;
let drawn = "";

const points = (value) => (value === null || value === undefined ? NONE : number(value, 1));
const share = (value) => (value === null || value === undefined ? NONE : percent(value));

function row(key, cells) {
  return make("tr", {}, make("th", { scope: "row", text: key }), ...cells.map((text) => make("td", {}, text)));
}

/** Returns the mean loss in a phase, if the review contains it and the player has moved in it. */
const phaseMean = ({ phases }, phase) => (phases[phase]?.moves > 0 ? phases[phase].meanPointsLost : null);

function totals(players) {
  const heads = ["black", "white"].map((color) => make("th", { scope: "col" },
    make("span", { class: `dot-stone ${color}`, "aria-hidden": "true" }), " ", playerName(color)));
  const rows = [
    ["report.accuracy", ({ accuracy }) => (accuracy === null ? NONE : number(accuracy, 1))],
    ["report.mean", ({ mean }) => points(mean)],
    ...PHASES.map((phase) => [`phase.${phase}`, (player) => points(phaseMean(player, phase)), "sub"]),
    ["report.firstChoice", ({ firstChoice }) => share(firstChoice)],
    ["report.moves", ({ moves }) => number(moves)],
  ].map(([key, value, kind]) => {
    const made = row(key, players.map(value));
    if (kind) made.className = kind;
    return made;
  });
  return make("table", { class: "totals" }, make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows));
}

/** Returns the losses of a class, such as "1.5–3" or "≥ 12". */
function rangeText(index) {
  const [low, high] = [LIMITS[index - 1] ?? 0, LIMITS[index]];
  return high ? `${number(low)}–${number(high)}` : `≥ ${number(low)}`;
}

/** Returns the histogram: a row for each class, Black's bar to the left and White's to the right. */
function histogram(players) {
  const most = Math.max(1, ...players.flatMap(({ classes }) => classes));
  const bar = (count, color, index) => {
    const made = make("span", { class: `bar-fill loss-${index}` });
    made.style.width = `${(100 * count) / most}%`;
    return make("td", { class: `bar-cell ${color}` }, make("span", { class: "bar-row" }, make("span", { class: "bar-count" }, number(count)), made));
  };
  const rows = players[0].classes.map((_, index) => make("tr", {},
    bar(players[0].classes[index], "black", index), make("th", { scope: "row" }, rangeText(index)), bar(players[1].classes[index], "white", index)));
  return make("table", { class: "histogram" }, make("caption", { text: "report.histogram" }), make("tbody", {}, ...rows));
}

addPanel({
  id: "report-panel", tab: "review", order: 40, label: "report.label", topics: ["review", "game", "settings"],
  build(panel) {
    root = panel;
    body = make("div");
    root.append(make("h2", { text: "report.label" }), body);
  },
  update() {
    const { review } = state.game;
    const players = review ? ["black", "white"].map((color) => playerStatistics(review, color)) : [];
    root.hidden = players.length === 0 || players.includes(null);
    if (root.hidden) return;
    const signature = [JSON.stringify(players), playerName("black"), playerName("white"), t("report.label")].join();
    if (signature === drawn) return;
    drawn = signature;
    body.replaceChildren(totals(players), histogram(players));
  },
});
