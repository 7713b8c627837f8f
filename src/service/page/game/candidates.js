// What is known about the moves in a position: from the running analysis, from a review, or from a search of its own.

import { changed, on } from "/core/store.js";
import { settings } from "/core/settings.js";
import { position, state } from "/game/state.js";
import { isOpen } from "/game/tabs.js";
import { other } from "/game/tree.js";
import { attempt, isConnected, service } from "/service/service.js";

/** Number of moves of a variation that are shown. */
export const VARIATION = 12;
/** Maximum number of points on a board, and the pass. */
const ALL_MOVES = 19 * 19 + 1;
/** Minimum probability of the moves in a map of probabilities. */
const SMALL = 0.005;
/** Visits of the searches that judge moves, and visits from which the values of a candidate are used for that. */
const [JUDGED_VISITS, RELIABLE_VISITS] = [160, 8];

/**
 * Returns the candidates of a response of `run`: `color` (side to move), `moves` and `ownership` (matrix). Each move
 * has a `vertex`, `visits`, `prior`, `winrate`, `lead`, `lost` (points compared with the first move) and `pv`, from
 * the perspective of `color`.
 */
function fromSearch({ color, moves, ownership = null }) {
  const searched = moves.filter((move) => move.visits > 0);
  const best = searched[0]?.scoreLead ?? 0;
  return {
    color, ownership,
    moves: searched.map(({ vertex, visits, policy, winrate, scoreLead, pointsLost, pv }) => ({
      vertex, visits, prior: policy, winrate, lead: scoreLead, lost: pointsLost ?? Math.max(best - scoreLead, 0), pv,
    })),
  };
}

/** Returns the candidates of a position of a review, whose values are from Black's perspective. */
function fromReview(found, color) {
  const sign = color === "black" ? 1 : -1;
  const best = found.moves[0]?.scoreLead ?? 0;
  return {
    color, ownership: null,
    moves: found.moves.map(({ move, visits, prior, winrate, scoreLead, pointsLost, pv }) => ({
      vertex: move, visits, prior, winrate: color === "black" ? winrate : 1 - winrate, lead: sign * scoreLead,
      lost: pointsLost ?? Math.max(sign * (best - scoreLead), 0), pv,
    })),
  };
}

/**
 * Returns the candidates in the position after `node` from its review, or null. The loss of the move that was played is
 * the one of the review, which has looked at the position after it.
 */
export function reviewed(node) {
  if (!node.reviewed) return null;
  const found = fromReview(node.reviewed, node.position?.color ?? state.game.turn(node));
  const played = node.children.find(({ review }) => review)?.review;
  const move = played && found.moves.slice(1).find(({ vertex }) => vertex === played.vertex);
  if (move) move.lost = played.lost;
  return found;
}

/**
 * Returns the candidates to show in the current position, or null: those of its deepest analysis or review, while the
 * analysis is on or one of the tabs about it is open.
 */
export function shownCandidates() {
  const { game: { here, settings: { playing }, over }, mode, analysing } = state;
  if (mode !== "play") return null;
  const studying = isOpen("analysis", "review") && (!playing || over);
  if (!analysing && !studying) return null;
  if (here.deepest) return fromSearch(here.deepest);
  const found = reviewed(here);
  // A review has no expected owners.
  return found && here.analysis ? { ...found, ownership: here.analysis.ownership ?? null } : found;
}

/**
 * Resolves to the candidates that moves in the position after `node` are compared with: those of its review if it has
 * enough visits, or of a search.
 */
export async function judge(node) {
  const known = reviewed(node);
  if (known && node.reviewed.visits >= JUDGED_VISITS) return known;
  node.judged ??= attempt(() => service.ask("run", { ...state.game.request(node), visits: JUDGED_VISITS, top: 20 }))
    .then((found) => found && fromSearch(found));
  const found = await node.judged;
  if (!found) node.judged = null;
  return found;
}

/**
 * Resolves to the points that `vertex` loses in the position after `node`, compared with the best move, or to undefined
 * if the move is illegal or the service cannot be reached.
 */
export async function pointsLost(node, vertex) {
  const { game } = state;
  const found = await judge(node);
  if (!found) return undefined;
  const played = node.children.find(({ move }) => move?.[1] === vertex);
  if (played?.review) return played.review.lost;
  const known = found.moves.find((move) => move.vertex === vertex);
  if (known && (known === found.moves[0] || known.visits >= RELIABLE_VISITS)) return known.lost;
  const after = game.branch(node, [[found.color, vertex]]);
  if (!(await attempt(() => position(after)))) return undefined;
  const searched = await attempt(() => service.ask("run", { ...game.request(after), visits: JUDGED_VISITS, top: 1 }));
  // The reply is judged from the opponent's perspective.
  return searched && Math.max((found.moves[0]?.lead ?? 0) + searched.scoreLead, 0);
}

/** Returns the matrix of the probabilities that the network gives to the points of the current position, or null. */
export const policy = () => (state.analysing && settings.policy && state.mode === "play" ? state.game.here.policy : null);

/** Node for which the probabilities have been requested. */
let requested = null;

/** Fetches the probabilities of the current position if they are to be shown. */
async function fetchPolicy() {
  const { game, game: { here }, analysing, mode } = state;
  if (!analysing || !settings.policy || mode !== "play" || !here.position || here.policy || requested === here || !isConnected()) return;
  requested = here;
  const found = await attempt(() => service.ask("run", { ...game.request(here), visits: 1, top: ALL_MOVES }));
  if (requested === here) requested = null;
  if (!found) return;
  here.policy = game.matrix(found.moves.filter(({ vertex, policy: prior }) => vertex !== "pass" && prior >= SMALL).map(({ vertex, policy: prior }) => [vertex, prior]));
  changed("analysis");
}

on(["position", "mode", "settings", "connection"], fetchPolicy);

/** Returns moves in turns beginning with `color`, as [colour, vertex]. */
export function inTurns(color, vertices) {
  return vertices.map((vertex, index) => [index % 2 === 0 ? color : other(color), vertex]);
}
