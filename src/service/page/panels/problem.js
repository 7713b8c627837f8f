// Panel of a life-and-death problem.

import { makeButton, write } from "/core/dom.js";
import { addViewSource } from "/board/view.js";
import { endProblem, problem, SHOWN, searchLonger, showSolution, tryAgain } from "/game/problem.js";
import { state } from "/game/state.js";
import { other } from "/game/tree.js";
import { fillExercise } from "/panels/exercise.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

let root;
let title;
let text;
let buttons;

addViewSource((view, { mode }) => {
  if (mode === "problem" && problem) view.turn = ["asking", "right"].includes(problem.phase) ? problem.color : null;
});

/** Returns the text about the proof of the start position. */
function proofText({ goal, color, solution: { result, proved, firstThreat, atLeastKo } }) {
  if (!proved) return t("problem.unknown");
  if (atLeastKo) return t("problem.atLeastKo");
  if (result === "failure") return t(`problem.failure.${goal}`, { color });
  if (result === "ko") return t(firstThreat === "own" ? "problem.koOwn" : "problem.koOther", { color });
  return t("problem.proved");
}

function lineText({ solution: { proved, line, move } }) {
  if (!proved) return move ? t("problem.candidate", { vertex: move }) : t("problem.noCandidate");
  return line.length > 0 ? t("problem.line", { line: line.slice(0, SHOWN).map((vertex) => t("vertex", { vertex })).join(" ") }) : t("problem.noLine");
}

const TEXTS = {
  solving: () => t("problem.solving"),
  asking: (at) => proofText(at),
  judging: () => t("problem.judging"),
  right: ({ color, said: { vertex, reply } }) => t("problem.right", { vertex, color: other(color), point: reply }),
  wrong: ({ color, said: { vertex, result, reply } }) => (
    reply ? t(result === "ko" ? "problem.onlyKo" : "problem.wrong", { vertex, color: other(color), point: reply }) : t("problem.wrongAlone", { vertex })),
  unproved: ({ said: { vertex } }) => t("problem.unproved", { vertex }),
  solved: ({ said: { result }, solution: { atLeastKo } }) => (
    t(result !== "ko" ? "problem.solved" : atLeastKo ? "problem.reachedKo" : "problem.solvedKo")),
  shown: (at) => lineText(at),
};

addPanel({
  id: "problem", place: "side", order: 0, label: "problem.title", topics: ["problem", "mode", "game", "position"],
  build(panel) {
    root = panel;
    const button = (name, work) => makeButton({ id: `problem-${name}`, text: `problem.${name}` }, () => work());
    buttons = { again: button("again", tryAgain), solution: button("solution", showSolution), longer: button("longer", searchLonger), end: button("end", endProblem) };
    ({ title, text } = fillExercise(root, "problem", ...Object.values(buttons)));
  },
  update() {
    root.hidden = !problem;
    if (!problem) return;
    const { phase, solution, goal, color, start } = problem;
    const left = state.mode !== "problem";
    write(title, goal ? t(`problem.goal.${goal}`, { color, opponent: t(`color.${other(color)}`) }) : t("problem.title"));
    write(text, TEXTS[phase](problem));
    const waiting = phase === "solving" || phase === "judging";
    buttons.again.hidden = waiting || (!left && phase === "asking" && state.game.here === start);
    buttons.solution.hidden = waiting || phase === "shown" || solution?.result === "failure" && solution.line.length === 0;
    buttons.longer.hidden = waiting || (solution?.proved && phase !== "unproved");
  },
});
