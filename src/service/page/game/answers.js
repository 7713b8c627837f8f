// Answers in the files of problems: the moves that the file calls right or wrong.

/** Comments on right answers, in the languages of common collections, and SGF properties of good moves. */
const RIGHT = /\b(right|correct)\b|正解|正确|正確|정답|정해/i;
const GOOD = /(^|[^A-Z])TE\[/;
/** Maximum number of moves of a solution without such comments. */
const SHORT = 20;

const isRight = ({ comment, rest }) => RIGHT.test(comment) || GOOD.test(rest);
const isAnswer = ({ move, recorded }) => Boolean(move) && recorded;

/** Returns the nodes on the way from `start` to right answers. */
function wayToRight(start) {
  const way = new Set();
  const open = start.children.filter(isAnswer);
  while (open.length > 0) {
    const node = open.pop();
    for (let at = node; isRight(node) && at !== start && !way.has(at); at = at.parent) way.add(at);
    open.push(...node.children.filter(isAnswer));
  }
  return way;
}

/** Returns the moves of the main line after `start`. */
function mainLine(start) {
  const line = [];
  for (let [at] = start.children; at && isAnswer(at); [at] = at.children) line.push(at);
  return line;
}

/**
 * Returns the nodes after `start` that the file calls right, as a set, or null if it contains no answers. A short file
 * without comments on its answers has the solution in its main line.
 */
export function rightAnswers(game, start) {
  const way = wayToRight(start);
  if (way.size > 0) return way;
  const line = mainLine(start);
  const isProblem = start === game.root && start.setUp && game.settings.handicap < 2;
  return isProblem && line.length > 0 && line.length <= SHORT ? new Set(line) : null;
}

/** Returns the solution in the file from `node` on, as vertices. */
export function solutionLine(node, right) {
  const line = [];
  for (let at = node; at; at = at.children.find((child) => right.has(child))) if (at !== node) line.push(at.move[1]);
  return line;
}

/** Returns the opponent's answer in the file, or undefined. */
export const replyTo = (node, right) => node.children.find((child) => right.has(child)) ?? node.children.find(isAnswer);
