// Reviews in the game tree: which node belongs to which reviewed move, and the choice of mistakes.

import { addSetting, settings } from "/core/settings.js";
import { changed } from "/core/store.js";
import { GRADES, lossClass } from "/game/loss.js";

/** Loss of winning chance and maximum number of turning points, as in the service. */
const [TURNING, MAX_TURNING] = [0.1, 5];

/** Values of the filters of the list of mistakes; each filter is a setting, `mistakes.<name>`. */
export const FILTERS = { player: ["both", "black", "white"], grade: GRADES.slice(1), order: ["turning", "move", "lost"] };

addSetting({ id: "mistakes.player", kind: "choice", value: "both", choices: FILTERS.player, hidden: true });
addSetting({ id: "mistakes.grade", kind: "choice", value: "mistake", choices: FILTERS.grade, hidden: true });
addSetting({ id: "mistakes.order", kind: "choice", value: "turning", choices: FILTERS.order, hidden: true });

/** Returns the numbers of the turning points of a review, worst first. Older reviews do not contain them. */
function turningPoints({ turningPoints: known, moves }) {
  return known ?? moves.filter(({ grade, winrateLost }) => grade !== "good" && winrateLost >= TURNING)
    .sort((one, two) => two.winrateLost - one.winrateLost).slice(0, MAX_TURNING).map(({ number }) => number);
}

/**
 * Returns the nodes of the reviewed positions: the one before the first move, and those after each move, as far as the
 * tree contains them. If the first move is in the root node, the position before it has no node.
 */
function reviewedNodes(game, moves) {
  const first = moves[0]?.number ?? Infinity;
  const nodes = [];
  let at = null;
  let number = 0;
  for (;;) {
    const wanted = number + 1 < first ? null : moves[number + 1 - first];
    const children = at ? at.children : [game.root];
    const next = children.find(({ move }) => move && wanted && move[0] === wanted.color && move[1] === wanted.move)
      ?? (wanted && children[0]?.move ? undefined : children[0]);
    // At the beginning of a review, only the position before the first move is known.
    if (!next || (next.move && moves.length === 0)) break;
    if (next.move) {
      // Older reviews start after the last set-up; earlier moves have been skipped.
      if (number + 1 === first) nodes[0] = at;
      number += 1;
      if (number >= first) nodes[number + 1 - first] = next;
    }
    at = next;
    if (number >= first && number - first + 1 === moves.length) break;
  }
  if (moves.length === 0) nodes[0] = at;
  return nodes;
}

/** True if a review is one of this game: its board and all of its moves are the same. */
export function fits(game, { width, height, moves }) {
  return width === game.width && height === game.height && moves.length > 0 && reviewedNodes(game, moves).length === moves.length + 1;
}

/**
 * Stores a review in the nodes of a game. Each node of a move gets `review`: `number`, `color`, `vertex`, `lost`
 * (points), `winrateLost`, `loss` (class), `grade`, `phase`, `rank`, `better` (line of play or null), `turning` (true for
 * turning points), `before` and `after` (positions of the review). Each node of a position gets `reviewed` and `value`.
 */
export function attach(game, review) {
  const { positions, moves } = review;
  const turning = new Set(turningPoints(review));
  const nodes = reviewedNodes(game, moves);
  game.review = review;
  game.reviewNodes = nodes;
  nodes.forEach((node, index) => {
    const found = positions[index];
    if (!node || !found) return;
    node.reviewed = found;
    if (!node.deepest) node.value = { winrate: found.winrate, lead: found.scoreLead };
    const move = index > 0 ? moves[index - 1] : null;
    if (move) node.review = entry(move, turning, positions, index);
  });
  changed("tree", "review", "analysis");
}

function entry({ number, color, move, pointsLost, winrateLost, grade, phase = null, rank, better, lossClass: loss }, turning, positions, index) {
  return {
    number, color, vertex: move, lost: pointsLost, winrateLost, grade, phase, rank, better: better ?? null,
    loss: loss ?? lossClass(pointsLost), turning: turning.has(number), before: positions[index - 1], after: positions[index],
  };
}

/** Returns all nodes of reviewed moves, in the order of the moves. */
const reviewedMoves = (game) => (game.reviewNodes ?? []).filter((node) => node?.review);

/** Orders of the list of mistakes. */
const ORDERS = {
  move: (one, two) => one.review.number - two.review.number,
  lost: (one, two) => two.review.lost - one.review.lost || one.review.number - two.review.number,
  turning: (one, two) => two.review.turning - one.review.turning
    || (one.review.turning ? two.review.winrateLost - one.review.winrateLost : one.review.number - two.review.number),
};

/** Returns the nodes of the mistakes and turning points of the user's filter, by default in the user's order. */
export function mistakes(game, order = settings["mistakes.order"], player = settings["mistakes.player"]) {
  const least = GRADES.indexOf(settings["mistakes.grade"]);
  return reviewedMoves(game)
    .filter(({ review: { color, grade, turning } }) => (player === "both" || player === color) && (turning || GRADES.indexOf(grade) >= least))
    .sort(ORDERS[order]);
}

/** Returns the winning chance of `color` in a position of a review. */
export const chanceOf = (color, { winrate }) => (color === "black" ? winrate : 1 - winrate);

/** Returns the mean loss and the accuracy of a player, by phase and in total, as far as the review contains them. */
export function playerStatistics(review, color) {
  const known = review.players?.[color];
  if (!known) return null;
  const { moves, pointsLost, sameAsEngine } = known;
  const own = review.moves.filter((move) => move.color === color);
  const classes = Array(6).fill(0);
  for (const move of own) classes[move.lossClass ?? lossClass(move.pointsLost)] += 1;
  return {
    moves, mean: moves > 0 ? pointsLost / moves : null, firstChoice: moves > 0 ? sameAsEngine / moves : null,
    accuracy: known.accuracy ?? null, classes, phases: known.phases ?? {},
  };
}
