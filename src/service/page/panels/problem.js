// Panels of a life-and-death problem: the offer to solve the problem of a file, and the problem itself.

import { run } from "/core/actions.js";
import { make, makeButton, write } from "/core/dom.js";
import { icon } from "/core/icons.js";
import { addViewSource } from "/board/view.js";
import { commentOf } from "/game/answers.js";
import {
  canSolve, decline, endProblem, goalText, hasOther, isOffered, otherProblem, problem, SHOWN, searchLonger, showSolution, solutionLine, startProblem, takeBack, tryAgain,
} from "/game/problem.js";
import { solvedOf } from "/game/solved.js";
import { state } from "/game/state.js";
import { other } from "/game/tree.js";
import { bringIntoView, fillExercise } from "/panels/exercise.js";
import { addPanel } from "/panels/panel.js";
import { isConnected } from "/service/service.js";
import { t } from "/texts/texts.js";

let root;
let title;
let text;
let buttons;
let bar; // shown while a search is running that the user waits for
let seen = ""; // phase that has been brought into view

addViewSource((view, { game, mode }) => {
  if (mode !== "problem" || !problem) return;
  const { phase, color, trying } = problem;
  view.turn = ["solving", "asking", "right"].includes(phase) ? color : null;
  if (trying?.node === game.here) view.pending = String(game.place(trying.node.move[1]));
});

/** Returns the text about the solution at the start. */
function startText({ goal, color, marked, searching, solution }) {
  if (marked) return t("problem.answers");
  if (!solution) return t("problem.offline");
  const { result, proved, firstThreat, atLeastKo } = solution;
  if (!proved) return t(searching ? "problem.searching" : "problem.unknown");
  if (atLeastKo) return t("problem.atLeastKo");
  if (result === "failure") return t(`problem.failure.${goal}`, { color });
  if (result === "ko") return t(firstThreat === "own" ? "problem.koOwn" : "problem.koOther", { color });
  return t("problem.proved");
}

function lineText(at) {
  const line = solutionLine(at).slice(0, SHOWN).map((vertex) => t("vertex", { vertex })).join(" ");
  return t(at.solution?.proved && !at.marked ? "problem.line" : "problem.fileLine", { line });
}

function wrongText({ color, said: { vertex, result, reply, byFile } }) {
  const params = { vertex, color: other(color), point: reply };
  if (byFile) return t(reply ? "problem.fileWrong" : "problem.fileWrongAlone", params);
  if (!reply) return t("problem.wrongAlone", params);
  return t(result === "ko" ? "problem.onlyKo" : "problem.wrong", params);
}

function solvedText({ said: { result, byFile }, solution }) {
  if (byFile) return t("problem.fileSolved");
  if (result !== "ko") return t("problem.solved");
  return t(solution?.atLeastKo ? "problem.reachedKo" : "problem.solvedKo");
}

const TEXTS = {
  solving: () => t("problem.solving"),
  asking: startText,
  judging: ({ trying: { node: { move: [, vertex] } } }) => t("problem.judging", { vertex }),
  right: ({ color, said: { vertex, reply, byFile } }) => t(byFile ? "problem.fileRight" : "problem.right", { vertex, color: other(color), point: reply }),
  wrong: wrongText,
  unproved: ({ marked, said: { vertex } }) => t(!isConnected() ? "problem.offline" : marked ? "problem.notInFile" : "problem.unproved", { vertex }),
  solved: solvedText,
  shown: lineText,
};

/** Returns the title with the number of the problem in its file, and whether it has been solved before. */
function titleText({ goal, color }) {
  const { collection } = state.game;
  const parts = [goal ? goalText({ color, goal }) : t("problem.title")];
  if (collection) parts.push(t("problem.number", { number: collection.index + 1, of: collection.titles.length }));
  if (collection && solvedOf(collection).has(collection.index)) parts.push(t("problem.solvedBefore"));
  return parts.join(" · ");
}

function bodyText(at) {
  const comment = at.phase !== "judging" && state.game.here.recorded ? commentOf(state.game.here) : "";
  return [at.phase === "asking" || at.phase === "solving" ? comment : "", TEXTS[at.phase](at), at.said ? comment : ""].filter(Boolean).join(t("sentence.between"));
}

/** Shows the buttons that are of use. */
function updateButtons({ phase, solution, searching, marked, start }) {
  const left = state.mode !== "problem";
  const waiting = phase === "solving" || phase === "judging";
  bar.hidden = !waiting;
  buttons.back.hidden = phase !== "judging";
  const unproved = !solution?.proved || phase === "unproved";
  buttons.again.hidden = waiting || (!left && phase === "asking" && state.game.here === start);
  buttons.solution.hidden = waiting || phase === "shown" || solutionLine(problem).length === 0;
  buttons.longer.hidden = waiting || searching || marked || !unproved || !isConnected();
  buttons.list.hidden = !state.game.collection;
  for (const [name, step] of [["previous", -1], ["next", 1]]) {
    buttons[name].hidden = !state.game.collection;
    buttons[name].disabled = !hasOther(step);
  }
  buttons.next.classList.toggle("main", phase === "solved" && hasOther(1));
}

addPanel({
  id: "problem", place: "status", order: 4, label: "problem.title", topics: ["problem", "mode", "game", "position", "connection"],
  build(panel) {
    root = panel;
    const button = (name, work) => makeButton({ id: `problem-${name}`, text: `problem.${name}` }, () => work());
    buttons = {
      back: button("back", takeBack), again: button("again", tryAgain), solution: button("solution", showSolution), longer: button("longer", searchLonger),
      previous: button("previous", () => otherProblem(-1)), next: button("next", () => otherProblem(1)), list: button("list", () => run("collection")), end: button("end", endProblem),
    };
    ({ title, text } = fillExercise(root, "problem", ...Object.values(buttons)));
    bar = make("progress", { label: "problem.solving" });
    text.after(bar);
  },
  update() {
    root.hidden = !problem;
    const phase = problem?.phase ?? "";
    if (problem) {
      write(title, titleText(problem));
      write(text, bodyText(problem));
      updateButtons(problem);
      if (phase !== seen) bringIntoView(root);
    }
    seen = phase;
  },
});

// The offer is directly below the board, with the comment, because other panels may be far away.
const offer = {};

addPanel({
  id: "problem-offer", place: "status", order: 7, label: "problem.title", topics: ["problem", "mode", "game", "position", "tree", "comment", "connection"],
  build(panel) {
    const solve = makeButton({ id: "problem-start", class: "main", text: "problem.start" }, () => startProblem());
    const close = makeButton({ class: "plain", label: "dialog.close" }, decline, icon("close"));
    ({ title: offer.title, text: offer.text } = fillExercise(panel, "problem-offer", solve, close));
    Object.assign(offer, { root: panel, solve });
  },
  update() {
    offer.root.hidden = !isOffered();
    if (offer.root.hidden) return;
    const { here } = state.game;
    write(offer.title, t("problem.title"));
    write(offer.text, commentOf(here) || t("problem.turn", { color: here.position.color }));
    offer.solve.disabled = !canSolve();
  },
});
