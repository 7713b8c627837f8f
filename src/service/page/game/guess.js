// Guess the move: the user chooses a move for positions of a game, and sees the points that it loses. After a second try,
// it is compared with the move of the game and with the best move.

import { say } from "/core/message.js";
import { changed, on } from "/core/store.js";
import { judge, pointsLost } from "/game/candidates.js";
import { lossClass } from "/game/loss.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { mistakes } from "/game/review_data.js";
import { state } from "/game/state.js";

/** Time for which the verdict on a right move is shown before the next question, in milliseconds. */
const PAUSE = 1500;

/**
 * The exercise: `game`, `nodes` (moves to guess), `index`, `answers` ({node, vertex, lost, played, best, first} by index;
 * `first` is the answer before a second try, or null), `tried` (the first answer during the second try, otherwise null),
 * `judging` (true while a guess is being judged), `finished` (true once the score is shown), `from` (node that was shown
 * before), `onlyMistakes`. Null if there is none.
 */
export let exercise = null;
let timer = null;

/**
 * Returns the moves of a game that can be guessed: its mistakes, or the moves after the current position; at the end of
 * the line, all its moves. `color` is "black", "white" or "both".
 */
export function guessable(game, color, onlyMistakes) {
  const fits = ({ move, parent }) => move && parent && move[1] !== "pass" && (color === "both" || color === move[0]);
  if (onlyMistakes) return mistakes(game, "move", color).filter(fits);
  const line = game.line();
  const later = line.slice(line.indexOf(game.here) + 1).filter(fits);
  return later.length > 0 ? later : line.filter(fits);
}

/** Starts an exercise with the mistakes or the moves that `guessable` returns. */
export async function startGuessing(color, onlyMistakes) {
  const { game } = state;
  exercise = { game, nodes: guessable(game, color, onlyMistakes), index: 0, answers: [], tried: null, judging: false, finished: false, from: game.here, onlyMistakes };
  await ask();
}

/** Ends the exercise: shows the score if there are answers, and returns to the position shown before. */
export async function endGuessing() {
  clearTimeout(timer);
  const { answers, finished, from } = exercise;
  if (state.mode === "guess") leaveMode();
  if (finished || !answers.some(Boolean)) exercise = null;
  else exercise.finished = true;
  changed("guess", "mode");
  if (finished) analyse();
  else await go(state.game.contains(from) ? from : state.game.root);
}

/** Shows the position of the current question. */
export async function ask() {
  const { nodes, index } = exercise;
  const node = nodes[index];
  if (!node) {
    await endGuessing();
    return;
  }
  await go(node.parent);
  if (!exercise || exercise.nodes[exercise.index] !== node || state.game.here !== node.parent) return;
  stopAnalysis();
  state.mode = "guess";
  say("");
  changed("guess", "mode");
  // The candidates are known when the user has chosen a move.
  judge(node.parent);
}

/** Continues with the next question, or shows the score after the last one. */
export function nextQuestion() {
  clearTimeout(timer);
  exercise.index += 1;
  exercise.tried = null;
  return ask();
}

/** Shows the answer instead of a second try. */
export function giveUp() {
  exercise.answers[exercise.index] = exercise.tried;
  exercise.tried = null;
  changed("guess", "mode");
}

/** The answer to the current question, or undefined. */
export const answer = () => exercise?.answers[exercise.index];

pointHandlers.guess = async (column, row) => {
  const asked = exercise;
  const { nodes, index } = asked ?? {};
  if (!asked || asked.judging || asked.answers[index]) return;
  const node = nodes[index];
  const { parent } = node;
  const vertex = state.game.vertex(column, row);
  if (parent.position.board[row][column] !== 0 || vertex === asked.tried?.vertex) return;
  asked.judging = true;
  changed("guess");
  const found = await judge(parent);
  const lost = await pointsLost(parent, vertex);
  const played = await pointsLost(parent, node.move[1]);
  asked.judging = false;
  changed("guess");
  if (exercise !== asked || asked.index !== index || state.mode !== "guess" || lost === undefined || played === undefined) return;
  const given = { node, vertex, lost, played, best: found.moves[0]?.vertex ?? null, first: asked.tried };
  const right = isRight(asked, given);
  // A move that is about as good as the best one needs no second try.
  const again = !right && !asked.tried && vertex !== given.best && lossClass(lost) > 0;
  asked.tried = again ? given : null;
  if (!again) asked.answers[index] = given;
  say("");
  changed("guess", "mode");
  // After a mistake of the game, the better move can be studied.
  if (right && !asked.onlyMistakes) timer = setTimeout(goOn, PAUSE, asked, index);
};

/** True if an answer is right: the move of the game or, for a mistake, the best move. */
const isRight = ({ onlyMistakes }, { vertex, node, best }) => vertex === (onlyMistakes ? best : node.move[1]);

/** Goes on to the next question unless the user has left this one. */
function goOn(asked, index) {
  if (exercise === asked && asked.index === index && state.mode === "guess") nextQuestion();
}

/**
 * Returns the score of the first tries so far: number of answers, mean losses of the guesses and of the played moves, and
 * the numbers of best moves, of moves of the game and of better moves.
 */
export function score() {
  const answers = exercise.answers.filter(Boolean).map((one) => one.first ?? one);
  const mean = (name) => answers.reduce((sum, one) => sum + one[name], 0) / Math.max(answers.length, 1);
  return {
    n: answers.length, guessed: mean("lost"), played: mean("played"),
    best: answers.filter(({ vertex, best }) => vertex === best).length,
    same: answers.filter(({ vertex, node }) => vertex === node.move[1]).length,
    better: answers.filter(({ vertex, node, lost, played }) => vertex !== node.move[1] && lost < played).length,
  };
}

on(["game"], () => {
  if (!exercise || exercise.game === state.game) return;
  clearTimeout(timer);
  exercise = null;
  changed("guess", "mode");
});
