// Panel of a life-and-death problem, and the offer to solve a position that was set up.

import { make, makeButton, write } from "/core/dom.js";
import { addViewSource } from "/board/view.js";
import { endProblem, isAsking, otherProblem, problem, searchLonger, showSolution, solutionMoves, startProblem, tryAgain } from "/game/problem.js";
import { state } from "/game/state.js";
import { other } from "/game/tree.js";
import { bringIntoView, fillExercise } from "/panels/exercise.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

let root;
let title;
let text;
let buttons;
let seen = ""; // phase that has been brought into view

addViewSource((view, { mode }) => {
  if (mode === "problem" && problem) view.turn = isAsking() ? problem.color : null;
});

/** Returns the text about the proof of the start position. */
function proofText({ goal, color, file, solution }) {
  if (file) return t("problem.inFile");
  const { result, proved, firstThreat } = solution;
  if (!proved) return t("problem.unknown");
  if (result === "failure") return t(`problem.failure.${goal}`, { color });
  if (result === "ko") return t(firstThreat === "own" ? "problem.koOwn" : "problem.koOther", { color });
  return t("problem.proved");
}

/** Returns the text about the solution on the board. */
function lineText({ file, solution }) {
  const line = solutionMoves().map((vertex) => t("vertex", { vertex })).join(" ");
  if (file) return t("problem.lineInFile", { line });
  if (!solution.proved) return t("problem.candidate", { vertex: solution.move });
  return line ? t("problem.line", { line }) : t("problem.noLine");
}

/** Returns a text, and what the file says about the current position. */
const withComment = (sentence) => [sentence, state.game.here.comment].filter(Boolean).join(" · ");

const TEXTS = {
  solving: ({ isLong }) => t(isLong ? "problem.solvingLong" : "problem.solving"),
  asking: (at) => proofText(at),
  judging: ({ isLong }) => t(isLong ? "problem.judgingLong" : "problem.judging"),
  right: ({ color, said: { vertex, reply } }) => t("problem.right", { vertex, color: other(color), point: reply }),
  wrong: ({ color, said: { vertex, result, reply } }) => (
    reply ? t(result === "ko" ? "problem.onlyKo" : "problem.wrong", { vertex, color: other(color), point: reply }) : t("problem.wrongAlone", { vertex })),
  unproved: ({ said: { vertex } }) => t("problem.unproved", { vertex }),
  solved: ({ said: { result } }) => t(result === "ko" ? "problem.solvedKo" : "problem.solved"),
  shown: (at) => lineText(at),
  rightInFile: ({ color, said: { vertex, reply } }) => withComment(t("problem.rightInFile", { vertex, color: other(color), point: reply })),
  wrongInFile: ({ said: { vertex } }) => withComment(t("problem.wrongInFile", { vertex })),
  solvedInFile: () => withComment(t("problem.solvedInFile")),
};

/** Shows the buttons that make sense. */
function updateButtons() {
  const { phase, solution, start, file, game: { collection } } = problem;
  const isWaiting = phase === "solving" || phase === "judging";
  const isLeft = state.mode !== "problem";
  buttons.again.hidden = isWaiting || (!isLeft && phase === "asking" && state.game.here === start);
  buttons.solution.hidden = isWaiting || phase === "shown" || !(file || solution?.proved) || solutionMoves().length === 0;
  buttons.engine.hidden = isWaiting || phase === "shown" || Boolean(file) || solution?.proved || !solution?.move;
  buttons.longer.hidden = isWaiting || (phase !== "unproved" && (Boolean(file) || solution?.proved));
  buttons.previous.hidden = !collection?.titles[collection.index - 1];
  buttons.next.hidden = !collection?.titles[collection.index + 1];
}

addPanel({
  id: "problem", place: "status", order: 4, label: "problem.title", topics: ["problem", "mode", "game", "position"],
  build(panel) {
    root = panel;
    const button = (name, work) => makeButton({ id: `problem-${name}`, text: `problem.${name}` }, () => work());
    buttons = {
      again: button("again", tryAgain), solution: button("solution", showSolution), engine: button("engine", showSolution),
      longer: button("longer", searchLonger), previous: button("previous", () => otherProblem(-1)), next: button("next", () => otherProblem(1)),
      end: button("end", endProblem),
    };
    ({ title, text } = fillExercise(root, "problem", ...Object.values(buttons)));
  },
  update() {
    root.hidden = !problem;
    if (!problem) {
      seen = "";
      return;
    }
    const { phase, goal, color } = problem;
    write(title, goal ? t(`problem.goal.${goal}`, { color, opponent: t(`color.${other(color)}`) }) : t("problem.goal.none", { color }));
    write(text, TEXTS[phase](problem));
    updateButtons();
    if (phase !== seen) bringIntoView(root);
    seen = phase;
  },
});

/** True if the current position was set up at the beginning of a record, and is no handicap. */
function isSetUp() {
  const { game: { here, root: first, settings: { playing, handicap } }, mode } = state;
  return !problem && mode === "play" && !playing && handicap < 2 && here === first && Boolean(first.setUp);
}

let comment;

addPanel({
  id: "problem-offer", place: "status", order: 4, topics: ["problem", "mode", "game", "position", "tree"],
  build(panel) {
    comment = make("p", { class: "clip" });
    panel.append(comment, makeButton({ id: "problem-start", class: "main", text: "practice.problem" }, () => startProblem()));
  },
  update() {
    const panel = comment.parentElement;
    panel.hidden = !isSetUp();
    write(comment, state.game.root.comment);
  },
});
