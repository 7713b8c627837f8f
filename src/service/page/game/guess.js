// Guess the move: the user chooses a move for positions of a game, and sees the points that it loses, compared with the
// move of the game and with the best move.

import { say } from "/core/message.js";
import { changed, on } from "/core/store.js";
import { judge, pointsLost } from "/game/candidates.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { mistakes } from "/game/review_data.js";
import { state } from "/game/state.js";

/** Time for which a right answer is shown before the next question, in milliseconds. */
const PACE = 1600;
let timer = null;

/**
 * The exercise: `game`, `nodes` (moves to guess), `index`, `answers` ({node, vertex, lost, played, best} by index),
 * `judging` (true while a guess is being judged), `before` (node that was shown before it). Null if there is none.
 */
export let exercise = null;

/** Returns the moves of a game that can be guessed. `color` is "black", "white" or "both". */
export function guessable(game, color, onlyMistakes) {
  const fits = ({ move, parent }) => move && parent && move[1] !== "pass" && (color === "both" || color === move[0]);
  if (onlyMistakes) return mistakes(game, "move", color).filter(fits);
  return game.line().filter(fits);
}

/** Returns the moves to guess from the current position on, or all of them if none follows. */
export function fromHere(nodes) {
  const passed = new Set(state.game.path());
  const following = nodes.filter((node) => !passed.has(node));
  return following.length > 0 ? following : nodes;
}

/** Starts an exercise with these moves. */
export async function startGuessing(nodes) {
  exercise = { game: state.game, nodes, index: 0, answers: [], judging: false, before: state.game.here };
  await ask();
}

/** Ends the exercise. Shows the score first if questions have been answered. Returns to where it began in the game. */
export async function endGuessing() {
  if (!exercise) return;
  const { game, before, index, nodes, answers } = exercise;
  clearTimeout(timer);
  if (state.mode === "guess") leaveMode();
  const isOpen = game === state.game;
  if (isOpen && index < nodes.length && answers.length > 0) {
    exercise.index = nodes.length;
    changed("guess", "mode");
    return;
  }
  exercise = null;
  changed("guess", "mode");
  if (isOpen && game.contains(before)) await go(before);
  else analyse();
}

/** Shows the position of the current question. */
export async function ask() {
  clearTimeout(timer);
  const { nodes, index } = exercise;
  const node = nodes[index];
  if (!node) {
    leaveMode();
    changed("guess", "mode");
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
  exercise.index += 1;
  return ask();
}

/** The answer to the current question, or undefined. */
export const answer = () => exercise?.answers[exercise.index];

pointHandlers.guess = async (column, row) => {
  const asked = exercise;
  const { nodes, index } = asked ?? {};
  if (!asked || asked.judging || asked.answers[index]) return;
  const node = nodes[index];
  const { parent } = node;
  if (parent.position.board[row][column] !== 0) return;
  const vertex = state.game.vertex(column, row);
  asked.judging = true;
  changed("guess");
  const found = await judge(parent);
  const lost = await pointsLost(parent, vertex);
  const played = await pointsLost(parent, node.move[1]);
  asked.judging = false;
  changed("guess");
  if (exercise !== asked || asked.index !== index || state.mode !== "guess" || lost === undefined || played === undefined) return;
  const best = found.moves[0]?.vertex ?? null;
  asked.answers[index] = { node, vertex, lost, played, best };
  say("");
  changed("guess", "mode");
  // After the best move, or the one of the game, there is nothing to compare.
  if (vertex === best || vertex === node.move[1]) timer = setTimeout(() => exercise === asked && asked.index === index && state.mode === "guess" && nextQuestion(), PACE);
};

/** Returns the score so far: number of answers, mean losses of the guesses and of the played moves, best moves found. */
export function score() {
  const answers = exercise.answers.filter(Boolean);
  const mean = (name) => answers.reduce((sum, one) => sum + one[name], 0) / Math.max(answers.length, 1);
  return {
    n: answers.length, of: exercise.nodes.length, guessed: mean("lost"), played: mean("played"),
    best: answers.filter(({ vertex, best }) => vertex === best).length,
    better: answers.filter(({ vertex, node, lost, played }) => vertex !== node.move[1] && lost < played).length,
  };
}

on(["game"], () => {
  if (exercise && exercise.game !== state.game) endGuessing();
});
