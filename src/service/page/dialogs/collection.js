// Dialog with the games of a file that contains several.

import { addAction } from "/core/actions.js";
import { bind, byId, make, makeButton, write } from "/core/dom.js";
import { icon } from "/core/icons.js";
import { on } from "/core/store.js";
import { closeButton, createDialog } from "/dialogs/dialog.js";
import { importAll } from "/game/files.js";
import { goalText, openNumber } from "/game/problem.js";
import { solvedOf } from "/game/solved.js";
import { state } from "/game/state.js";
import { attempt, isConnected } from "/service/service.js";
import { date as dateText, number, player, result as resultText, t } from "/texts/texts.js";

let dialog = null;
let list;
let count;
let all;

/** Returns the title and the facts of a game of the file. */
function described({ titles, isProblems, goals }, index) {
  const { name, event, black, white, date, result } = titles[index];
  const players = black || white ? `${player(black ?? "") || t("color.black")} – ${player(white ?? "") || t("color.white")}` : "";
  const numbered = t(isProblems ? "collection.problem" : "collection.game", { number: index + 1 });
  const [title, ...others] = [isProblems && numbered, players, name, event, numbered].filter(Boolean);
  const facts = [...others.filter((text) => text !== numbered), goals[index] && goalText(goals[index]), date && dateText(date), result && resultText(result)];
  return { title, facts: facts.filter(Boolean).join(" · ") };
}

function row(collection, index, solved) {
  const { title, facts } = described(collection, index);
  const button = makeButton({ class: "collection-row" }, () => {
    dialog.close();
    openNumber(index);
  }, ...(collection.isProblems ? [] : [make("span", { class: "collection-number" }, number(index + 1))]),
  make("span", { class: "collection-text" }, make("span", { class: "clip" }, title), make("span", { class: "clip note" }, facts)));
  if (solved) button.append(make("span", { class: "collection-solved", title: "problem.solvedBefore", role: "img", label: "problem.solvedBefore" }, icon("check")));
  if (index === collection.index) button.setAttribute("aria-current", "true");
  return make("li", {}, button);
}

function build() {
  list = make("ol", { id: "collection-list", class: "scroll" });
  count = make("p", { class: "note" });
  all = makeButton({ id: "collection-all", text: "collection.all" }, () => {
    dialog.close();
    attempt(() => importAll([state.game.collection.field]));
  });
  dialog = createDialog("collection-dialog", "collection.title", count, list,
    make("div", { class: "row spread" }, all, closeButton()));
}

function open() {
  if (!dialog) build();
  const { collection, collection: { titles, index, isProblems } } = state.game;
  const solved = solvedOf(collection);
  bind(byId("collection-dialog-title"), "text", isProblems ? "collection.chooseProblem" : "collection.title");
  write(count, t(isProblems ? "collection.problems" : "collection.count", { n: titles.length }));
  list.replaceChildren(...titles.map((_, at) => row(collection, at, solved.has(at))));
  all.disabled = !isConnected();
  if (!dialog.open) dialog.showModal();
  list.children[index].firstChild.focus();
}

on(["collection"], () => state.game.collection && open());
addAction({
  id: "collection", icon: "games", visible: () => Boolean(state.game.collection), run: open,
  name: () => (state.game.collection?.isProblems ? "action.problems" : "action.collection"),
});

for (const [id, step, keys] of [["previous-game", -1, ["Alt+PageUp"]], ["next-game", 1, ["Alt+PageDown"]]]) {
  const index = () => (state.game.collection?.index ?? NaN) + step;
  const isThere = () => Boolean(state.game.collection?.titles[index()]);
  addAction({ id, group: "menu", icon: step < 0 ? "back" : "forward", keys, visible: () => Boolean(state.game.collection), enabled: isThere, run: () => openNumber(index()) });
}
