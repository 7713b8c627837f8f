// Panel of the exercise "guess the move", and the marks of the answers.

import { makeButton, write } from "/core/dom.js";
import { discText, lossText } from "/board/candidates.js";
import { addViewSource } from "/board/view.js";
import { answer, ask, endGuessing, exercise, giveUp, nextQuestion, score } from "/game/guess.js";
import { lossClass } from "/game/loss.js";
import { state } from "/game/state.js";
import { bringIntoView, fillExercise } from "/panels/exercise.js";
import { addPanel } from "/panels/panel.js";
import { number, t } from "/texts/texts.js";

let root;
let title;
let text;
let next;
let answerButton;
let resume;
let seen = ""; // question or answer that has been brought into view

addViewSource((view, { game, mode }) => {
  if (mode !== "guess" || !exercise) return;
  const node = exercise.nodes[exercise.index];
  const found = answer();
  if (!found) {
    view.turn = node?.move[0] ?? null;
    const { tried } = exercise;
    if (tried) view.discs = [{ at: game.place(tried.vertex), kind: `loss-${lossClass(tried.lost)}`, lines: [discText(tried.lost), t("guess.yours")] }];
    return;
  }
  view.turn = null;
  const discs = new Map();
  const add = (vertex, fields) => {
    if (vertex && vertex !== "pass") discs.set(vertex, { at: game.place(vertex), alpha: 0.93, ...discs.get(vertex), ...fields });
  };
  if (found.best) add(found.best, { kind: "loss-0", best: true, lines: [discText(0)] });
  add(found.node.move[1], { kind: `loss-${lossClass(found.played)}`, ringed: true, lines: [discText(found.played)] });
  add(found.vertex, { kind: `loss-${lossClass(found.lost)}`, lines: [discText(found.lost), t("guess.yours")] });
  view.discs = [...discs.values()];
});

function answerText({ vertex, lost, node, played, best }) {
  const own = { vertex, lost: lossText(lost) };
  if (vertex === node.move[1]) return t(vertex === best ? "guess.asPlayedBest" : "guess.asPlayed", own);
  const parts = [t(vertex === best ? "guess.best" : "guess.guessed", own)];
  parts.push(t("guess.played", { vertex: node.move[1], lost: lossText(played) }));
  if (vertex !== best && best) parts.push(t("guess.bestWas", { vertex: best }));
  return parts.join(t("sentence.between"));
}

/** Returns the question, or what the first try achieved. */
function questionText({ judging, tried, nodes, index }) {
  if (judging) return t("guess.judging");
  if (!tried) return t("guess.ask", { color: nodes[index].move[0] });
  const key = tried.vertex === nodes[index].move[1] ? "guess.asPlayed" : "guess.guessed";
  return [t(key, { vertex: tried.vertex, lost: lossText(tried.lost) }), t("guess.again")].join(t("sentence.between"));
}

function scoreText() {
  const { n, guessed, played, best, same, better } = score();
  return [t("guess.scoreMean", { guessed: number(guessed, 1), played: number(played, 1) }), t("guess.scoreBest", { best, same, better, n })].join(t("sentence.between"));
}

addPanel({
  id: "guess", place: "status", order: 4, label: "guess.title", topics: ["guess", "mode", "game", "position"],
  build(panel) {
    root = panel;
    next = makeButton({ id: "guess-next", class: "main", text: "guess.next" }, () => nextQuestion());
    answerButton = makeButton({ id: "guess-answer", text: "guess.answer" }, () => giveUp());
    resume = makeButton({ id: "guess-resume", text: "guess.resume" }, () => ask());
    const end = makeButton({ id: "guess-end", text: "guess.end" }, () => endGuessing());
    ({ title, text } = fillExercise(root, "guess", next, answerButton, resume, end));
  },
  update() {
    root.hidden = !exercise;
    if (!exercise) {
      seen = "";
      return;
    }
    const { finished: done } = exercise;
    write(title, done ? t("guess.score") : t("guess.question", { number: exercise.index + 1, of: exercise.nodes.length }));
    const found = answer();
    const asking = state.mode === "guess";
    next.hidden = !asking || !found;
    answerButton.hidden = !asking || !exercise.tried || exercise.judging;
    resume.hidden = asking || done;
    if (done) write(text, scoreText());
    else if (found) write(text, answerText(found));
    else write(text, questionText(exercise));
    const key = `${exercise.index} ${Boolean(exercise.tried)} ${Boolean(found)} ${done}`;
    if (key !== seen) bringIntoView(root);
    seen = key;
  },
});
