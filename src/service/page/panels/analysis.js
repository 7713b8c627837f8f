// Panel of the analysed moves: switches of what the board shows, and the table of candidates.

import { addAction } from "/core/actions.js";
import { make, write } from "/core/dom.js";
import { addIcon } from "/core/icons.js";
import { set, settings } from "/core/settings.js";
import { hover, lossText } from "/board/candidates.js";
import { shownCandidates, VARIATION } from "/game/candidates.js";
import { lossClass } from "/game/loss.js";
import { play, toggleAnalysis } from "/game/play.js";
import { addVariation } from "/game/review.js";
import { isOwn, state } from "/game/state.js";
import { openTab } from "/game/tabs.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { isConnected } from "/service/service.js";
import { number, percent, signed, t } from "/texts/texts.js";

const COLUMNS = ["move", "lost", "winrate", "lead", "visits", "prior", "line"];
let list;
let table;
let hint;

const analysing = () => state.analysing;

addAction({
  id: "analyse", slot: "study", order: 2, icon: "analyse", keys: ["a"], pressed: analysing, enabled: () => isConnected() || state.analysing,
  run: () => {
    toggleAnalysis();
    if (state.analysing) openTab("analysis");
  },
});

addIcon("hints", "M12 4a6 6 0 0 1 3 11v2H9v-2a6 6 0 0 1 3-11zM10 20h4");
addIcon("ownership", "M4 4h16v16H4zM4 14L14 4M4 20L20 4M10 20L20 10");
addIcon("policy", "M6 6h.01M6 6a2 2 0 1 0 .01 0zM16 9a4 4 0 1 0 .01 0zM8 15a3 3 0 1 0 .01 0z");

for (const [id, keys] of [["hints", ["h"]], ["ownership", ["t"]], ["policy", ["r"]]]) {
  addAction({ id, group: "study", icon: id, keys, pressed: () => settings[id], run: () => set(id, !settings[id]) });
}

function choose(vertex) {
  const found = shownCandidates();
  if (vertex && found && isOwn(found.color)) play(found.color, vertex);
}

/** The variation that the board shows, {color, line}, or undefined. */
function shownLine() {
  const { game: { here }, hovered, preview } = state;
  if (preview?.node === here) return { color: preview.color, line: preview.vertices };
  const found = shownCandidates();
  const move = found?.moves.find(({ vertex }) => vertex === hovered);
  return move && { color: found.color, line: move.pv.slice(0, VARIATION) };
}

addAction({
  id: "keep-line", group: "study", keys: ["v"], enabled: () => Boolean(shownLine()),
  run: () => {
    const { color, line } = shownLine();
    addVariation(state.game.here, color, line);
  },
});

/** On touch screens the first tap on a row shows its variation, and a second tap on the same row plays. */
function listen() {
  const vertex = ({ target }) => target.closest("tr")?.dataset.vertex ?? null;
  let touched = null;
  list.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "mouse" ? null : { again: vertex(event) === touched?.at, at: vertex(event) };
  });
  list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && hover(vertex(event)));
  list.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hover(null));
  list.addEventListener("focusin", (event) => hover(vertex(event)));
  list.addEventListener("focusout", () => hover(null));
  list.addEventListener("click", (event) => {
    // The analysis may have moved the rows since the touch.
    const at = touched ? touched.at : vertex(event);
    return !touched || touched.again ? choose(at) : hover(at);
  });
  list.addEventListener("keydown", (event) => event.key === "Enter" && choose(vertex(event)));
}

/** Returns the row at `index`; rows are reused, so that hover and focus survive updates. */
function row(index) {
  if (!list.children[index]) list.append(make("tr", { tabindex: 0 }, ...COLUMNS.map((name) => make("td", { class: `cell-${name}` }))));
  return list.children[index];
}

function fill(move, index) {
  const { vertex, lost, winrate, lead, visits, prior, pv } = move;
  const line = pv.slice(0, VARIATION).map((at) => t("vertex", { vertex: at })).join(" ");
  const texts = [t("vertex", { vertex }), lossText(lost), percent(winrate), signed(lead), number(visits), percent(prior), line];
  const cells = row(index);
  cells.dataset.vertex = vertex;
  cells.dataset.loss = lossClass(lost);
  cells.classList.toggle("best", index === 0);
  cells.setAttribute("aria-label", t("analysis.row", { vertex, lost: lossText(lost), share: percent(winrate), line }));
  texts.forEach((text, column) => write(cells.children[column], text));
}

addPanel({
  id: "analysis", tab: "analysis", order: 10, label: "analysis.label", topics: ["analysis", "position", "mode", "game", "settings", "review"],
  build(root) {
    list = make("tbody", { id: "moves" });
    const heads = COLUMNS.map((name) => make("th", { scope: "col", class: `cell-${name}`, text: `analysis.${name}` }));
    table = make("table", { class: "candidates" }, make("thead", {}, make("tr", {}, ...heads)), list);
    hint = make("p", { class: "note", text: "analysis.hint" });
    const switches = ["hints", "ownership", "policy"].map((id) => actionButton(id, `switch-${id}`));
    const keep = actionButton("keep-line");
    root.append(make("div", { class: "row switches", role: "group", label: "analysis.show" }, ...switches), table, hint, keep);
    listen();
  },
  update() {
    const found = shownCandidates();
    const moves = found?.moves ?? [];
    table.hidden = !found;
    hint.hidden = Boolean(found);
    while (list.children.length > moves.length) list.lastChild.remove();
    moves.forEach(fill);
  },
});
