// Answers in the file of a problem. Files mark branches as right or wrong in comments ("RIGHT", "Correct!", "正解",
// "Wrong.", "失败") or by the properties TE (good move) and BM (bad move).

/** Beginnings of comments on right and wrong moves; words in capitals can be anywhere. */
const BEFORE = "^[\\s\"'*(（【「]*";
const RIGHT = new RegExp(`${BEFORE}(correct|right|success|solved|正解|正确|正確|成功|정해|정답|성공)`, "i");
const WRONG = new RegExp(`${BEFORE}(wrong|incorrect|fail|失败|失敗|错误|錯誤|不正解|실패|오답)`, "i");
/** Words for programs in comments of problems. */
const COMMANDS = /\b(RIGHT|WRONG|FORCE|NOTTHIS|CHOICE)\b/g;

/** Maximum number of moves in the first line of a problem. */
const LONGEST = 60;

/** Returns the mark of a node, "right" or "wrong", or null. */
function markOf({ comment, rest }) {
  if (/\bWRONG\b/.test(comment) || WRONG.test(comment) || /\bBM\[/.test(rest)) return "wrong";
  if (/\bRIGHT\b/.test(comment) || RIGHT.test(comment) || /\bTE\[/.test(rest)) return "right";
  return null;
}

/** Returns the comment of a node without words for programs. */
export const commentOf = ({ comment }) => comment.replace(COMMANDS, "").trim();

/** Returns the moves after a node that the file contains. */
const following = ({ children }) => children.filter(({ recorded, move }) => recorded && move);

/** True if a node with this mark follows `node` or is the node itself, without entering wrong branches. */
function leadsTo(node, mark) {
  const open = [node];
  while (open.length > 0) {
    const next = open.pop();
    const own = markOf(next);
    if (own === mark) return true;
    if (own !== "wrong") open.push(...following(next));
  }
  return false;
}

const follows = (node, mark) => following(node).some((child) => leadsTo(child, mark));

/** True if the file marks moves after `start` as right or wrong. */
export const isMarked = (start) => follows(start, "right") || follows(start, "wrong");

/** True if the file continues after `node`. */
export const continues = (node) => following(node).length > 0;

/** True if `node` is the first continuation of the file. */
export const isFirst = (node) => following(node.parent)[0] === node;

/** Returns the right continuation of the file, or its first one; undefined at the end. */
export const bestOf = (node) => following(node).find((child) => leadsTo(child, "right")) ?? following(node)[0];

/** Returns the file's answer about a move of a problem that begins at `start`: "right", "wrong" or null. */
export function answerOf(start, node) {
  if (!isMarked(start) || !following(node.parent).includes(node)) return null;
  // Without marks for right moves, the first branch is right.
  const right = follows(start, "right") ? leadsTo(node, "right") : markOf(node) !== "wrong" && isFirst(node);
  return right ? "right" : "wrong";
}

/** True if nothing remains to be found after the right move or reply `node`. */
export const isEnd = (node) => markOf(node) === "right" || !continues(node);

/** Returns the vertices of the moves after `node` in the file: the solution, or the refutation of a wrong move. */
export function lineOf(node) {
  const vertices = [];
  for (let at = bestOf(node); at; at = bestOf(at)) vertices.push(at.move[1]);
  return vertices;
}

/** True if the game begins with a problem: a position with stones of both sides and few moves, and no handicap. */
export function isProblem({ root, settings: { handicap } }) {
  const values = new Set((root.setUp?.flat() ?? root.changes?.map(([, value]) => value) ?? []).filter(Boolean));
  let length = 0;
  for (let at = root; at && length <= LONGEST; at = at.children[0]) length += 1;
  return values.size === 2 && handicap < 2 && length <= LONGEST && root.recorded;
}

/** True if the game begins with a problem and is nothing else: the file contains no moves, or marks them. */
export const isPureProblem = (game) => isProblem(game) && (!continues(game.root) || isMarked(game.root));
