// Life-and-death problems: the user tries moves in the current position. If the file of the game marks its branches as
// right and wrong, they are the answers; otherwise, and for moves that are not in the file, the service proves or refutes
// them.

import { changed, on } from "/core/store.js";
import { answerOf, bestOf, continues, isEnd, isFirst, isMarked, isProblem, lineOf } from "/game/answers.js";
import { openOther } from "/game/files.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { markSolved } from "/game/solved.js";
import { position, state } from "/game/state.js";
import { other } from "/game/tree.js";
import { attempt, service } from "/service/service.js";

/** Time limits of proofs in seconds: the first one, the one that follows by itself, and one that the user asks for. */
const [USUAL, LONG, LONGEST] = [5, 30, 120];
/** Maximum number of moves of a proof that are shown. */
export const SHOWN = 12;
const OPPOSITE = { live: "kill", kill: "live" };

/**
 * The problem: `game`, `start` (node), `marked` (true if the file has answers), `color` and `goal` of the user,
 * `solution` (response of `solve` for the start), `searching` (true while a proof is being looked for), `seconds` of
 * the latest search, `phase` ("solving", "asking", "judging", "right", "wrong", "unproved", "solved" or "shown") and
 * `said` (what happened last: {vertex, reply, result, byFile}), `tree` (proved moves of the user in the current
 * position, with replies), `added` (functions that remove tried moves from the game), `stopper` (ends the search). Null
 * if there is none.
 */
export let problem = null;
/** Game of which the user does not want to solve the problem now. */
let declined = null;

function set(fields) {
  Object.assign(problem, fields);
  changed("problem", "mode", "hover");
}

/** Requests a solution of the position after `node`. */
const solve = (node, fields) => service.ask("solve", { ...problem.game.request(node), ...fields }, { signal: problem.stopper.signal });

/** True if the current position is that of a problem in a file, which the user can solve. */
export function isOffered() {
  const { game, mode } = state;
  return !problem && mode === "play" && declined !== game && game.here === game.root && Boolean(game.here.position) && !game.settings.playing && isProblem(game);
}

/** Hides the offer to solve the problem of this game. */
export function decline() {
  declined = state.game;
  changed("problem");
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

/** Starts with the current position as a problem. The game becomes a record. */
export async function startProblem() {
  await endProblem();
  const { game, game: { here: start } } = state;
  // Another game may just be loading.
  if (!start.position) return;
  const marked = isMarked(start);
  problem = {
    game, start, marked, color: start.position.color, goal: null, solution: null, said: null, tree: null, searching: false, seconds: 0,
    phase: marked ? "asking" : "solving", added: [], stopper: new AbortController(),
  };
  const current = problem;
  if (game.settings.playing) {
    game.settings.playing = false;
    changed("result");
  }
  if (!(await show(start))) return;
  await prove(USUAL);
  if (problem === current && !current.solution?.proved) await prove(LONG);
}

/** Looks for a proof. Meanwhile, the user can try moves if the file has answers or an earlier search has ended. */
async function prove(seconds) {
  const current = problem;
  set({ searching: true, seconds });
  const work = () => solve(current.start, { seconds });
  // Without a proof, the file still has its answers.
  const solution = await (current.marked ? work().catch(() => null) : attempt(work));
  if (problem !== current) return;
  set({ searching: false });
  if (!solution) {
    if (current.phase === "solving") endProblem();
    return;
  }
  const atStart = state.game.here === current.start;
  set({ solution, goal: solution.goal, tree: atStart ? solution.tree : current.tree, phase: current.phase === "solving" ? "asking" : current.phase });
}

/** Looks longer for a proof. */
export async function searchLonger() {
  await tryAgain();
  if (problem && !problem.searching) await prove(LONGEST);
}

/** Ends the problem and returns to its start. The moves that the user has tried leave the game. */
export async function endProblem() {
  if (!problem) return;
  const { game, start, added, stopper } = problem;
  const isShown = state.mode === "problem";
  problem = null;
  stopper.abort();
  state.preview = null;
  if (isShown) leaveMode();
  for (const remove of added.reverse()) remove();
  changed("problem", "mode", "hover", "tree");
  if (game === state.game) await go(isShown ? start : game.here);
  else analyse();
}

/** Opens the next problem of the file (1) or the previous one (-1). */
export async function otherProblem(step) {
  const index = state.game.collection.index + step;
  // Tried moves do not count as changes of the game that is left.
  await endProblem();
  await openOther(index);
  if (state.game.collection?.index === index) await startProblem();
}

/** True if the file has a next problem (1) or a previous one (-1). */
export const hasOther = (step) => Boolean(state.game.collection?.titles[state.game.collection.index + step]);

/** Returns to the start of the problem. */
export async function tryAgain() {
  state.preview = null;
  if (await show(problem.start)) set({ phase: "asking", said: null, tree: problem.solution?.tree ?? null });
}

/** Returns the vertices of the solution: proved, or in the file; an empty list if there is none. */
export function solutionLine({ marked, start, solution }) {
  if (marked || (!solution?.proved && continues(start))) return lineOf(start);
  return solution?.proved && solution.result !== "failure" ? solution.line : [];
}

/** Shows the solution. */
export async function showSolution() {
  const { start, color } = problem;
  if (!(await show(start))) return;
  state.preview = { node: start, color, vertices: solutionLine(problem).slice(0, SHOWN) };
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
  const answer = answerOf(current.start, child);
  const judged = (await attempt(() => position(child))) && (answer ? {} : await result(here, vertex));
  if (problem !== current || state.game.here !== here) return;
  if (!judged) {
    set({ phase: before });
    return;
  }
  keep(child);
  if (answer) await judgeByFile(current, child, answer);
  else await judge(current, child, judged);
};

/** Adds a tried move, or a reply to one, to the game until the problem ends. */
function keep(node) {
  const remove = problem.game.attach(node);
  if (!remove) return;
  problem.added.push(remove);
  changed("tree");
}

/** Resolves to the response of the service about a tried move. Moves of the proof are known already. */
function result(here, vertex) {
  const { tree, goal, solution, seconds } = problem;
  if (tree?.some(({ move }) => move === vertex)) return { result: solution.result, tried: { move: vertex, result: solution.result, refutation: null }, tree };
  return attempt(() => solve(here, { goal: goal ?? undefined, tried: vertex, seconds: Math.min(seconds, LONG) }));
}

/** Shows what a tried move achieves. `judged`: response of the service for the position before it. */
async function judge(current, child, judged) {
  const { tried, result: best } = judged;
  const vertex = tried.move;
  if (tried.result === "unknown" && !current.marked && child.recorded && isFirst(child)) {
    await judgeByFile(current, child, "right");
    return;
  }
  if (!(await show(child))) return;
  // A move that may be worse than a ko is refuted only if more than a ko is possible.
  if (tried.result === "unknown" || (tried.atMostKo && best !== "success")) {
    set({ phase: "unproved", said: { vertex } });
  } else if (tried.result === "failure" || (tried.result === "ko" && best !== "ko")) {
    showRefutation(child, { vertex, result: tried.result }, tried.refutation ?? []);
  } else {
    await reply(current, child, judged);
  }
}

/** Shows the refutation of a tried move. */
function showRefutation(child, said, vertices) {
  state.preview = { node: child, color: other(problem.color), vertices: vertices.slice(0, SHOWN) };
  set({ phase: "wrong", said: { ...said, reply: vertices[0] ?? null } });
}

/** Shows the answer of the file to a tried move that it contains. */
async function judgeByFile(current, child, answer) {
  if (!(await show(child))) return;
  const said = { vertex: child.move[1], byFile: true };
  const next = bestOf(child);
  if (answer === "wrong") showRefutation(child, said, lineOf(child));
  else if (isEnd(child)) solved(said);
  else if ((await attempt(() => position(next))) && problem === current && await show(next)) {
    const vertex = next.move[1];
    if (isEnd(next)) solved({ ...said, reply: vertex });
    else set({ phase: "right", said: { ...said, reply: vertex }, tree: null });
  }
}

function solved(said) {
  set({ phase: "solved", said });
  if (problem.game.collection) markSolved(problem.game.collection);
}

/** Plays the opponent's best resistance after a right move. */
async function reply(current, child, { tried: { move: vertex, result: achieved }, tree }) {
  const branch = tree.find(({ move }) => move === vertex);
  let move = branch?.replies[0]?.move ?? null;
  if (!branch) {
    // Another solution than the one of the proof. If no group is left, the service reports an error.
    move = await solve(child, { goal: OPPOSITE[current.goal], seconds: USUAL }).then((found) => found.move, () => null);
    if (problem !== current || state.game.here !== child) return;
  }
  if (!move || move === "pass") {
    solved({ vertex, result: achieved });
    return;
  }
  const answer = problem.game.branch(child, [[other(current.color), move]]);
  if (!(await attempt(() => position(answer)))) return;
  keep(answer);
  if (await show(answer)) set({ phase: "right", said: { vertex, reply: move, result: achieved }, tree: branch?.replies[0].replies ?? null });
}

on(["game"], () => {
  if (problem && problem.game !== state.game) endProblem();
});
