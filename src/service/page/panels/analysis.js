// Panel of the analysed moves, and the marks of the analysis on the board.

import { addAction } from "/core/actions.js";
import { make, write } from "/core/dom.js";
import { changed } from "/core/store.js";
import { addViewSource, onHover, variation } from "/board/view.js";
import { play, toggleAnalysis } from "/game/play.js";
import { isOwn, state } from "/game/state.js";
import { addPanel, openTab } from "/panels/panel.js";
import { number, percent, signed, t } from "/texts/texts.js";

let list;
let table;
let hint;

/** Returns the analysis of the current position if it is shown. */
const shown = () => (state.analysing && state.mode === "play" ? state.game.here.analysis : null);
const visited = (analysis) => (analysis?.moves ?? []).filter(({ visits }) => visits > 0);

/** Shows the variation of an analysed move, by its index, or of none. */
function hover(index) {
  if (state.hovered === index) return;
  state.hovered = index;
  changed("hover");
}

/** Formats a number of visits briefly. */
const visitsText = (visits) => (visits < 1000 ? String(visits) : `${(visits / 1000).toFixed(1)}k`);

addViewSource((view, { game, hovered }) => {
  const analysis = shown();
  if (!analysis) return;
  const moves = visited(analysis);
  const move = hovered === null ? null : moves[hovered];
  if (move) {
    view.line = variation(move.pv, analysis.color);
    return;
  }
  const most = moves[0]?.visits ?? 1;
  view.owners = analysis.ownership;
  view.discs = moves.filter(({ vertex }) => vertex !== "pass").map(({ vertex, visits, winrate }, index) => ({
    at: game.place(vertex), best: index === 0, alpha: 0.85 + 0.15 * (visits / most), lines: [percent(winrate), visitsText(visits)],
  }));
});

onHover((place) => {
  const vertex = place && state.game.vertex(...place);
  const index = visited(shown()).findIndex((move) => move.vertex === vertex);
  hover(index < 0 ? null : index);
});

function choose(index) {
  const { analysis } = state.game.here;
  if (analysis && isOwn(analysis.color)) play(analysis.color, visited(analysis)[index].vertex);
}

/** On touch screens the first tap on a row shows its variation, and a second tap on the same row plays. */
function listen() {
  const index = ({ target }) => [...list.children].indexOf(target.closest("tr"));
  let touched = null;
  list.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "mouse" ? null : { again: index(event) === touched?.at, at: index(event) };
  });
  list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && hover(index(event)));
  list.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hover(null));
  list.addEventListener("focusin", (event) => hover(index(event)));
  list.addEventListener("focusout", () => hover(null));
  list.addEventListener("click", (event) => (!touched || touched.again ? choose(index(event)) : hover(index(event))));
  list.addEventListener("keydown", (event) => event.key === "Enter" && choose(index(event)));
}

/** Returns the row at `index`; rows are reused, so that hover and focus survive updates. */
function row(index) {
  if (!list.children[index]) list.append(make("tr", { tabindex: 0 }, ...["td", "td", "td", "td"].map((name) => make(name))));
  return list.children[index];
}

addAction({
  id: "analyse", slot: "study", order: 2, icon: "analyse", keys: ["a"], pressed: () => state.analysing,
  run: () => {
    toggleAnalysis();
    if (state.analysing) openTab("analysis");
  },
});

addPanel({
  id: "analysis", tab: "analysis", order: 10, label: "analysis.label", topics: ["analysis", "position", "mode", "game"],
  build(root) {
    list = make("tbody", { id: "moves" });
    const heads = ["move", "winrate", "lead", "visits"].map((name) => make("th", { scope: "col", text: `analysis.${name}` }));
    table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), list);
    hint = make("p", { text: "analysis.hint" });
    root.append(table, hint);
    listen();
  },
  update() {
    const analysis = shown();
    const moves = visited(analysis);
    table.hidden = !analysis;
    hint.hidden = Boolean(analysis);
    while (list.children.length > moves.length) list.lastChild.remove();
    moves.forEach((move, index) => {
      const { vertex, winrate, scoreLead, visits, pv } = move;
      const texts = [t("vertex", { vertex }), percent(winrate), signed(scoreLead), number(visits)];
      const line = pv.map((at) => t("vertex", { vertex: at })).join(" ");
      const cells = row(index);
      cells.setAttribute("aria-label", t("analysis.row", { vertex, share: percent(winrate), line }));
      texts.forEach((text, column) => write(cells.children[column], text));
    });
  },
});
