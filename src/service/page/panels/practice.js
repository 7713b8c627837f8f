// Panel of the exercises with the current game or position.

import { make, makeButton } from "/core/dom.js";
import { addIcon, icon } from "/core/icons.js";
import { set, settings } from "/core/settings.js";
import { on } from "/core/store.js";
import { openText } from "/game/files.js";
import { guessable, startGuessing } from "/game/guess.js";
import { canSolve, startProblem } from "/game/problem.js";
import { starterProblems } from "/game/starter_problems.js";
import { state } from "/game/state.js";
import { isConnected } from "/service/service.js";
import { addPanel } from "/panels/panel.js";

addIcon("problem", "M4 4v16h16M4 12h6a4 4 0 0 1 4 4v4M17 7h.01M17 4a3 3 0 1 0 .01 0z");

let color;
const buttons = {};

function button(id, key, picture, work) {
  buttons[id] = makeButton({ id: `practice-${id}`, class: "tool" }, work, icon(picture), make("span", { class: "word", text: key }));
  return buttons[id];
}

const moves = (onlyMistakes) => guessable(state.game, settings.guessColor, onlyMistakes);

// During an exercise, other tools and the results of the review are hidden.
on(["mode"], () => document.documentElement.classList.toggle("exercising", state.mode === "guess" || state.mode === "problem"));

addPanel({
  id: "practice-panel", tab: "review", order: 50, label: "practice.label", topics: ["review", "game", "position", "tree", "settings", "mode", "result", "connection"],
  build(root) {
    color = make("select", { id: "practice-color", label: "practice.color" }, ...["both", "black", "white"].map((value) => make("option", { value, text: `mistakes.player.${value}` })));
    color.addEventListener("change", () => set("guessColor", color.value));
    root.append(make("div", { class: "row spread" }, make("h2", { text: "practice.label" }), color),
      make("div", { class: "tools" }, button("mistakes", "practice.mistakes", "turning", () => startGuessing(settings.guessColor, true)),
        button("moves", "practice.moves", "help", () => startGuessing(settings.guessColor, false)), button("problem", "practice.problem", "problem", () => startProblem()),
        button("starter", "practice.starter", "games", () => openText(starterProblems()))),
      make("p", { class: "note", text: "practice.note" }));
  },
  update() {
    const { game } = state;
    color.value = settings.guessColor;
    const playing = (game.settings.playing && !game.over) || !isConnected();
    buttons.mistakes.disabled = playing || moves(true).length === 0;
    buttons.moves.disabled = playing || moves(false).length === 0;
    buttons.problem.disabled = Boolean(state.busy) || !canSolve() || !game.here.position?.board.some((row) => row.some(Boolean));
  },
});
