// Life-and-death problems: the user tries moves in the current position. If the file of the game marks its branches as
// right and wrong, they are the answers; otherwise, and for moves that are not in the file, the service proves or refutes
// them.

import { say } from "/core/message.js";
import { changed, on } from "/core/store.js";
import { answerOf, bestOf, continues, isEnd, isFirst, isMarked, isProblem, isPureProblem, lineOf } from "/game/answers.js";
import { noteGoal } from "/game/collection.js";
import { openOther } from "/game/files.js";
import { analyse, go, leaveMode, pointHandlers, stopAnalysis } from "/game/play.js";
import { markSolved } from "/game/solved.js";
import { position, state } from "/game/state.js";
import { other } from "/game/tree.js";
import { attempt, isConnected, onReconnected, service } from "/service/service.js";
import { t } from "/texts/texts.js";

/** Time limits of proofs in seconds: the first one, the one that follows by itself, and one that the user asks for. */
const [USUAL, LONG, LONGEST] = [5, 30, 120];
/** Maximum number of moves of a proof that are shown. */
export const SHOWN = 12;
const OPPOSITE = { live: "kill", kill: "live" };

/**
 * The problem: `game`, `start` (node), `marked` (true if the file has answers), `color` and `goal` of the user,
 * `solution` (response of `solve` for the start), `proof` (promise of the first search for it), `searching` (true while a
 * proof is being looked for), `seconds` of the latest search, `phase` ("solving", "asking", "judging", "right", "wrong",
 * "unproved", "solved" or "shown") and `said` (what happened last: {vertex, reply, result, byFile}), `tree` (proved moves
 * of the user in the current position, with replies), `trying` (the move that is being judged: `node`, `before`, the
 * `phase` and `said` before it, `stopper`), `added` (functions that remove tried moves from the game), `stopper` (ends
 * the searches). Null if there is none.
 */
export let problem = null;

/** Returns the task of `color`, whose goal is "live" or "kill", in words. */
export const goalText = ({ color, goal }) => t(`problem.goal.${goal}`, { color, opponent: t(`color.${other(color)}`) });

/** Game of which the user does not want to solve the problem now. */
let declined = null;

function set(fields) {
  Object.assign(problem, fields);
  if (problem.phase !== "judging") problem.trying = null;
  changed("problem", "mode", "hover");
}

/** Requests a solution of the position after `node`. */
const solve = (node, fields, { signal } = problem.stopper) => service.ask("solve", { ...problem.game.request(node), ...fields }, { signal });

/** True if the current position is that of a problem in a file, which the user can solve. */
export function isOffered() {
  const { game, mode } = state;
  return !problem && mode === "play" && declined !== game && game.here === game.root && Boolean(game.here.position) && !game.settings.playing && isProblem(game);
}

/** True if moves in the current position can be judged: by the service, or by the answers of the file. */
export const canSolve = () => isConnected() || isMarked(state.game.here);

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
    game, start, marked, color: start.position.color, goal: null, solution: null, proof: null, said: null, tree: null, searching: false, seconds: 0,
    phase: marked ? "asking" : "solving", trying: null, added: [], stopper: new AbortController(),
  };
  const current = problem;
  if (game.settings.playing) {
    game.settings.playing = false;
    changed("result");
  }
  if (!(await show(start))) return;
  if (!isConnected()) {
    set({ phase: "asking" });
    return;
  }
  current.proof = prove(USUAL);
  await current.proof;
  if (problem === current && !current.solution?.proved) await prove(LONG);
}

/** Looks for a proof. Meanwhile, the user can try moves; they are judged once the first search has ended. */
async function prove(seconds) {
  const current = problem;
  set({ searching: true, seconds });
  const work = () => solve(current.start, { seconds });
  // Without a proof, the file still has its answers.
  const solution = await (current.marked ? work().catch(() => null) : attempt(work));
  if (problem !== current) return;
  set({ searching: false });
  if (!solution) {
    if (!isConnected()) set({ phase: current.phase === "solving" ? "asking" : current.phase });
    else if ((current.trying ?? current).phase === "solving") endProblem();
    return;
  }
  const atStart = (current.trying?.before ?? state.game.here) === current.start;
  set({ solution, goal: solution.goal, tree: atStart ? solution.tree : current.tree, phase: current.phase === "solving" ? "asking" : current.phase });
  if (current.game.collection && solution.proved) noteGoal(current.game.collection, current.color, solution.goal);
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
  problem.trying?.stopper.abort();
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
export const otherProblem = (step) => openNumber(state.game.collection.index + step);

/** Opens the game with this index of the file. If it is a problem, the user can solve it at once. */
export async function openNumber(index) {
  const wasSolving = Boolean(problem);
  // Tried moves do not count as changes of the game that is left.
  await endProblem();
  await openOther(index);
  const { game } = state;
  if (game.collection?.index === index && (wasSolving || isPureProblem(game))) await startProblem();
}

/** True if the file has a next problem (1) or a previous one (-1). */
export const hasOther = (step) => Boolean(state.game.collection?.titles[state.game.collection.index + step]);

/** Returns to the start of the problem. */
export async function tryAgain() {
  state.preview = null;
  problem.trying?.stopper.abort();
  if (await show(problem.start)) set({ phase: "asking", said: null, tree: problem.solution?.tree ?? null });
}

/** Returns the vertices of the solution: proved, or in the file; an empty list if there is none. */
export function solutionLine({ marked, start, solution }) {
  if (marked || (!solution?.proved && continues(start))) return lineOf(start);
  if (!solution?.proved || solution.result === "failure") return [];
  // The opponent passes when no resistance is left; in a ko, a pass is a move elsewhere.
  const pass = solution.result === "success" ? solution.line.indexOf("pass") : -1;
  return pass > 0 ? solution.line.slice(0, pass) : solution.line;
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
  const { game, game: { here } } = state;
  if (current?.phase === "judging") say("problem.busy", { vertex: current.trying.node.move[1] }, "place");
  if (["wrong", "unproved"].includes(current?.phase)) say("problem.retry", {}, "place");
  if (!current || !["solving", "asking", "right"].includes(current.phase) || here.position.board[row][column] !== 0) return;
  const node = game.branch(here, [[current.color, game.vertex(column, row)]]);
  if ((await attempt(() => position(node))) && problem === current && state.game.here === here && !current.trying) await tryMove(current, node);
};

/** Shows a move of the user at once, then what it achieves. */
async function tryMove(current, node) {
  const { phase, said } = current;
  const trying = { node, before: node.parent, phase, said, stopper: new AbortController() };
  set({ trying, phase: "judging" });
  keep(node);
  if (!(await show(node))) return;
  const answer = answerOf(current.start, node);
  const judged = answer ? {} : await result(current, trying);
  if (problem !== current || current.trying !== trying) return;
  if (state.game.here !== node || state.mode !== "problem") set({ phase: "asking", said: null, tree: null }); // The user has left it.
  else if (!judged) await takeBack();
  else if (answer) await judgeByFile(current, node, answer);
  else await judge(current, node, judged);
}

/** Takes back a move that is being judged. */
export async function takeBack() {
  const { before, phase, said, stopper } = problem.trying;
  stopper.abort();
  set({ phase: phase === "solving" && !problem.searching ? "asking" : phase, said });
  if (await show(before)) changed("problem", "mode");
}

/** Adds a tried move, or a reply to one, to the game until the problem ends. */
function keep(node) {
  const remove = problem.game.attach(node);
  if (!remove) return;
  node.tried = true;
  problem.added.push(remove);
  changed("tree");
}

/** Resolves to the response of the service about a tried move. Moves of the proof are known already. */
async function result(current, { node: { move: [, vertex] }, before, stopper }) {
  await current.proof;
  if (problem !== current || stopper.signal.aborted) return undefined;
  const { tree, goal, solution, seconds } = current;
  if (tree?.some(({ move }) => move === vertex)) return { goal, result: solution.result, tried: { move: vertex, result: solution.result, refutation: null }, tree };
  if (!isConnected()) return { goal, result: "unknown", tried: { move: vertex, result: "unknown", refutation: null }, tree: [] };
  return attempt(() => solve(before, { goal: goal ?? undefined, tried: vertex, seconds: Math.min(seconds, LONG) }, stopper));
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
    await showRefutation(current, child, { vertex, result: tried.result }, tried.refutation ?? []);
  } else {
    await reply(current, child, judged);
  }
}

/** Shows the refutation of a tried move. If only its result is known, the service looks for the refutation. */
async function showRefutation(current, child, said, vertices) {
  const tell = (line) => {
    state.preview = { node: child, color: other(current.color), vertices: line.slice(0, SHOWN) };
    set({ phase: "wrong", said: { ...said, reply: line[0] ?? null } });
  };
  tell(vertices);
  if (vertices.length > 0 || !current.goal || !isConnected()) return;
  const told = current.said;
  const { result: found, line } = await solve(child, { goal: OPPOSITE[current.goal], seconds: USUAL }).catch(() => ({}));
  if (problem === current && current.said === told && state.game.here === child && found === "success" && line.length > 0 && line[0] !== "pass") tell(line);
}

/** Shows the answer of the file to a tried move that it contains. */
async function judgeByFile(current, child, answer) {
  if (!(await show(child))) return;
  const said = { vertex: child.move[1], byFile: true };
  const next = bestOf(child);
  if (answer === "wrong") await showRefutation(current, child, said, lineOf(child));
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
    move = await solve(child, { goal: OPPOSITE[current.goal], seconds: USUAL }, current.trying?.stopper).then((found) => found.move, () => null);
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

onReconnected(() => {
  if (!problem || problem.solution || problem.searching) return;
  problem.proof = prove(USUAL);
});

on(["game", "position"], () => {
  const { game } = state;
  if (problem && problem.game !== game) endProblem();
  if (!game.solving || !game.here.position) return;
  game.solving = false;
  startProblem();
});

// The first problem of a file can be solved at once, like the ones that the user chooses.
on(["collection"], () => {
  if (state.game.collection && isPureProblem(state.game)) startProblem();
});
