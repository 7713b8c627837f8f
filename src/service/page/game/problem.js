// Life-and-death problems: the user tries moves in the current position, and the service proves or refutes them.

import { changed, on } from "/core/store.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { position, state } from "/game/state.js";
import { other } from "/game/tree.js";
import { attempt, service } from "/service/service.js";

/** Time limits of a proof, in seconds: at first, and when the user asks for more. */
const [USUAL, LONG] = [5, 30];
/** Maximum number of moves of a proof that are shown. */
export const SHOWN = 12;
const OPPOSITE = { live: "kill", kill: "live" };

/**
 * The problem: `game`, `start` (node), `color` and `goal` of the user, `solution` (response of `solve` for the start),
 * `phase` ("solving", "asking", "judging", "right", "wrong", "unproved", "solved" or "shown") and `said` (what happened
 * last: {vertex, reply, result}), `tree` (proved moves of the user in the current position, with replies). Null if there
 * is none.
 */
export let problem = null;

function set(fields) {
  Object.assign(problem, fields);
  changed("problem", "mode", "hover");
}

/** Requests a solution of the position after `node`. */
const solve = (node, fields) => service.ask("solve", { ...problem.game.request(node), seconds: problem.seconds, ...fields });

/** Shows a node without leaving the problem. Returns false if the user has left it. */
async function show(node) {
  const current = problem;
  await go(node);
  if (problem !== current || state.game.here !== node) return false;
  stopAnalysis();
  state.mode = "problem";
  return true;
}

/** Starts with a position as a problem, by default the current one. The game becomes a record. */
export async function startProblem(seconds = USUAL, start = state.game.here) {
  const { game } = state;
  problem = { game, start, seconds, color: start.position.color, goal: null, solution: null, said: null, phase: "solving" };
  const current = problem;
  if (game.settings.playing) {
    game.settings.playing = false;
    changed("result");
  }
  if (!(await show(start))) return;
  set({});
  const solution = await attempt(() => solve(start, {}));
  if (problem !== current) return;
  if (!solution) endProblem();
  else set({ solution, color: solution.color, goal: solution.goal, phase: "asking", tree: solution.tree });
}

/** Looks longer for a proof. */
export const searchLonger = () => startProblem(LONG, problem.start);

export function endProblem() {
  if (state.mode === "problem") leaveMode();
  state.preview = null;
  problem = null;
  changed("problem", "mode", "hover");
  analyse();
}

/** Returns to the start of the problem. */
export async function tryAgain() {
  state.preview = null;
  if (await show(problem.start)) set({ phase: "asking", said: null, tree: problem.solution.tree });
}

/** Shows the proved line, or the first candidate if nothing is proved. */
export async function showSolution() {
  const { start, color, solution: { line, move } } = problem;
  if (!(await show(start))) return;
  const moves = line.length > 0 ? line.slice(0, SHOWN) : [move].filter(Boolean);
  state.preview = { node: start, color, vertices: moves };
  set({ phase: "shown", said: null });
}

pointHandlers.problem = async (column, row) => {
  const current = problem;
  const { game } = state;
  const { here } = game;
  if (!current || !["asking", "right"].includes(current.phase) || here.position.board[row][column] !== 0) return;
  const vertex = game.vertex(column, row);
  const before = current.phase;
  set({ phase: "judging" });
  const child = game.branch(here, [[current.color, vertex]]);
  const judged = (await attempt(() => position(child))) && await result(here, vertex);
  if (problem !== current || state.game.here !== here) return;
  if (!judged) {
    set({ phase: before });
    return;
  }
  game.attach(child);
  changed("tree");
  await judge(current, child, judged);
};

/** Resolves to the response of the service about a tried move. Moves of the proof are known already. */
function result(here, vertex) {
  const { tree, goal, solution } = problem;
  if (!tree?.some(({ move }) => move === vertex)) return attempt(() => solve(here, { goal, tried: vertex }));
  return { result: solution.result, tried: { move: vertex, result: solution.result, refutation: null }, tree };
}

/** Shows what a tried move achieves. `judged`: response of the service for the position before it. */
async function judge(current, child, judged) {
  const { tried, result: best } = judged;
  const vertex = tried.move;
  if (!(await show(child))) return;
  // A move that may be worse than a ko is refuted only if more than a ko is possible.
  if (tried.result === "unknown" || (tried.atMostKo && best !== "success")) {
    set({ phase: "unproved", said: { vertex } });
  } else if (tried.result === "failure" || (tried.result === "ko" && best !== "ko")) {
    const refutation = tried.refutation ?? [];
    state.preview = { node: child, color: other(current.color), vertices: refutation.slice(0, SHOWN) };
    set({ phase: "wrong", said: { vertex, result: tried.result, reply: refutation[0] ?? null } });
  } else {
    await reply(current, child, judged);
  }
}

/** Plays the opponent's best resistance after a right move. */
async function reply(current, child, { tried: { move: vertex, result }, tree }) {
  const branch = tree.find(({ move }) => move === vertex);
  let move = branch?.replies[0]?.move ?? null;
  if (!branch) {
    // Another solution than the one of the proof. If no group is left, the service reports an error.
    move = await solve(child, { goal: OPPOSITE[current.goal] }).then((found) => found.move, () => null);
    if (problem !== current || state.game.here !== child) return;
  }
  if (!move || move === "pass") {
    set({ phase: "solved", said: { vertex, result } });
    return;
  }
  const answer = problem.game.branch(child, [[other(current.color), move]]);
  if (!(await attempt(() => position(answer)))) return;
  problem.game.attach(answer);
  changed("tree");
  if (await show(answer)) set({ phase: "right", said: { vertex, reply: move, result }, tree: branch?.replies[0].replies ?? null });
}

on(["game"], () => {
  if (problem && problem.game !== state.game) endProblem();
});
