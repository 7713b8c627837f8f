// Life-and-death problems: the user tries moves in the current position. A file can contain the answers; otherwise the
// service proves or refutes them.

import { changed, on } from "/core/store.js";
import { replyTo, rightAnswers, solutionLine } from "/game/answers.js";
import { openOther } from "/game/files.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { position, state } from "/game/state.js";
import { other } from "/game/tree.js";
import { attempt, service } from "/service/service.js";

/** Time limits of a proof, in seconds: of the first and the second attempt, and when the user asks for more. */
const [USUAL, LONG, LONGEST] = [5, 30, 120];
/** Maximum number of moves of a proof that are shown. */
const SHOWN = 12;
const OPPOSITE = { live: "kill", kill: "live" };
/** Phases in which the user chooses a move. */
const ASKING = ["asking", "right", "rightInFile"];

/**
 * The problem: `game`, `start` (node), `color` and `goal` of the user, `solution` (response of `solve` for the start),
 * `file` (nodes that the file calls right, or null), `phase` ("solving", "asking", "judging", "right", "wrong",
 * "unproved", "solved", "shown", and "rightInFile", "wrongInFile", "solvedInFile"), `said` (what happened last:
 * {vertex, reply, result}), `tree` (proved moves of the user in the current position, with replies), `isLong` (true
 * during a second attempt) and `stopper`, which cancels its requests. Null if there is none.
 */
export let problem = null;

function set(fields) {
  Object.assign(problem, fields);
  if (["solved", "solvedInFile"].includes(problem.phase)) problem.game.collection?.solved.add(problem.game.collection.index);
  changed("problem", "mode", "hover");
}

/** True if the user may choose a move. */
export const isAsking = () => ASKING.includes(problem?.phase);

/** Requests a solution of the position after `node`, again with the next time limit if there is no result. */
async function solve(node, fields, limits = [USUAL, LONG]) {
  const { game, stopper: { signal } } = problem;
  const current = problem;
  let found;
  for (const seconds of limits) {
    if (seconds !== limits[0]) set({ isLong: true });
    found = await service.ask("solve", { ...game.request(node), seconds, ...fields }, { signal });
    if (problem !== current) break;
    set({ isLong: false });
    if ((found.tried ?? found).result !== "unknown") break;
  }
  return found;
}

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
export async function startProblem(limits = [USUAL, LONG], start = state.game.here) {
  const { game } = state;
  // Another game may just be loading.
  if (!start.position) return;
  problem?.stopper.abort();
  const file = rightAnswers(game, start);
  problem = {
    game, start, file, color: start.position.color, goal: null, solution: null, said: null, tree: null, isLong: false,
    phase: file ? "asking" : "solving", stopper: new AbortController(),
  };
  if (game.settings.playing) {
    game.settings.playing = false;
    changed("result");
  }
  if (!(await show(start))) return;
  set({});
  if (!file) await proveStart(limits);
}

async function proveStart(limits) {
  const current = problem;
  const solution = await attempt(() => solve(current.start, {}, limits));
  if (problem !== current) return;
  if (!solution) endProblem();
  else set({ solution, color: solution.color, goal: solution.goal, phase: "asking", tree: solution.tree });
}

/** Looks longer for a proof. */
export const searchLonger = () => startProblem([LONGEST], problem.start);

export function endProblem() {
  if (!problem) return;
  if (state.mode === "problem") leaveMode();
  problem.stopper.abort();
  state.preview = null;
  problem = null;
  changed("problem", "mode", "hover");
  analyse();
}

/** Returns to the start of the problem. */
export async function tryAgain() {
  state.preview = null;
  if (await show(problem.start)) set({ phase: "asking", said: null, tree: problem.solution?.tree ?? null });
}

/** Goes on with the next problem of the file (1) or the previous one (-1). */
export async function otherProblem(step) {
  const { index } = problem.game.collection;
  await openOther(index + step);
  if (state.game.here.position) await startProblem();
}

/** Returns the solution as vertices: of the file, as proved, or else the first candidate. */
export function solutionMoves() {
  const { start, file, solution } = problem;
  if (file) return solutionLine(start, file).slice(0, SHOWN);
  if (!solution) return [];
  return solution.line.length > 0 ? solution.line.slice(0, SHOWN) : [solution.move].filter(Boolean);
}

export async function showSolution() {
  const { start, color } = problem;
  if (!(await show(start))) return;
  state.preview = { node: start, color, vertices: solutionMoves() };
  set({ phase: "shown", said: null });
}

pointHandlers.problem = async (column, row) => {
  const current = problem;
  const { game } = state;
  const { here } = game;
  if (!isAsking() || here.position.board[row][column] !== 0) return;
  const vertex = game.vertex(column, row);
  const before = current.phase;
  set({ phase: "judging" });
  const child = game.branch(here, [[current.color, vertex]]);
  const isLegal = await attempt(() => position(child));
  if (problem !== current || state.game.here !== here) return;
  if (!isLegal) {
    set({ phase: before });
    return;
  }
  if (current.file && child.recorded) await followFile(current, child);
  else await prove(current, child, before);
};

/** Shows what the file says about a move, and its answer. */
async function followFile(current, child) {
  const { file, color } = current;
  const vertex = child.move[1];
  if (!(await show(child))) return;
  const reply = replyTo(child, file);
  if (!file.has(child)) {
    state.preview = reply ? { node: child, color: other(color), vertices: [reply.move[1]] } : null;
    set({ phase: "wrongInFile", said: { vertex } });
  } else if (!reply) {
    set({ phase: "solvedInFile", said: { vertex } });
  } else if ((await attempt(() => position(reply))) && problem === current && await show(reply)) {
    const isEnd = reply.children.length === 0;
    set({ phase: isEnd ? "solvedInFile" : "rightInFile", said: { vertex, reply: reply.move[1] } });
  }
}

/** Has the service judge a move that the file does not contain. */
async function prove(current, child, before) {
  const { game, game: { here } } = state;
  const judged = await result(here, child.move[1]);
  if (problem !== current || state.game.here !== here) return;
  if (!judged) {
    set({ phase: before });
    return;
  }
  game.attach(child);
  changed("tree");
  await judge(current, child, judged);
}

/** Resolves to the response of the service about a tried move. Moves of the proof are known already. */
function result(here, vertex) {
  const { tree, goal, solution } = problem;
  if (!tree?.some(({ move }) => move === vertex)) return attempt(() => solve(here, { ...(goal ? { goal } : {}), tried: vertex }));
  return { result: solution.result, tried: { move: vertex, result: solution.result, refutation: null }, tree };
}

/** Shows what a tried move achieves. `judged`: response of the service for the position before it. */
async function judge(current, child, judged) {
  const { tried, result: best } = judged;
  const vertex = tried.move;
  if (!(await show(child))) return;
  if (tried.result === "unknown") {
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
async function reply(current, child, { goal, tried: { move: vertex, result }, tree }) {
  const branch = tree.find(({ move }) => move === vertex);
  let move = branch?.replies[0]?.move ?? null;
  if (!branch) {
    // Another solution than the one of the proof. If no group is left, the service reports an error.
    move = await solve(child, { goal: OPPOSITE[current.goal ?? goal] }, [USUAL]).then((found) => found.move, () => null);
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
