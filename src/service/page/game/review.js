// Reviews: the service analyses all positions of a game in the background, while the user does something else.

import { addAction } from "/core/actions.js";
import { say } from "/core/message.js";
import { addSetting, set, settings } from "/core/settings.js";
import { recallEntries, rememberEntry } from "/core/storage.js";
import { changed, on } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { inTurns } from "/game/candidates.js";
import { fingerprint } from "/game/fingerprint.js";
import { store } from "/game/library.js";
import { returnToMainLine } from "/game/navigation.js";
import { analyse, go } from "/game/play.js";
import { attach, fits, mistakes } from "/game/review_data.js";
import { againstEngine, state } from "/game/state.js";
import { openTab } from "/game/tabs.js";
import { attempt, isConnected, onReconnected, service } from "/service/service.js";

/** Key and maximum number of the games whose reviews this browser finds again. */
const [KEY, MAX_KNOWN] = ["honinbo-reviews", 100];

addSetting({ id: "guessColor", kind: "choice", value: "both", choices: ["both", "black", "white"], hidden: true });
/** Visits per position of the reviews that the user can choose. */
export const DEPTHS = [50, 200, 800];

addSetting({ id: "reviewVisits", kind: "choice", value: DEPTHS[0], choices: DEPTHS, hidden: true });

/** Running reviews by the game's id: `positions` (number of analysed positions), `of` (their total), `stop()`. */
const running = new Map();
/** Reviews that a lost connection has interrupted, by the game's id. */
const interrupted = new Map();

/** Returns the progress of the review of a stored game, {positions, of}, or undefined. `of` is null at the beginning. */
export const reviewProgress = (gobanId) => running.get(gobanId);

/** Ends the running review of a stored game. */
export const stopReview = (gobanId) => running.get(gobanId)?.stop();

/**
 * Reviews a stored game and resolves to the review, or to undefined if it was stopped. If the game is open, its nodes get
 * the results as they come. Throws the errors of the service.
 */
export function reviewStored(gobanId, visits = settings.reviewVisits) {
  const known = running.get(gobanId);
  if (known) return known.result;
  const stopper = new AbortController();
  const entry = { positions: 0, of: null, stop: () => stopper.abort() };
  const count = () => {
    state.reviewing = running.size;
    if (state.stop) analyse();
    changed("review");
  };
  running.set(gobanId, entry);
  entry.result = work(gobanId, visits, entry, stopper.signal).finally(() => {
    running.delete(gobanId);
    count();
  });
  count();
  return entry.result;
}

async function work(gobanId, visits, entry, signal) {
  const partial = { positions: [], moves: [], players: null, turningPoints: [] };
  const heard = (update) => {
    Object.assign(entry, { positions: update.positions, of: update.of });
    if (!hear(partial, update)) changed("review");
    else if (state.game.gobanId === gobanId) attach(state.game, { ...partial });
  };
  try {
    const { review } = await service.ask("reviewGoban", { gobanId, visits, stream: true }, { heard, signal });
    if (state.game.gobanId === gobanId) attach(state.game, review);
    return review;
  } catch (error) {
    if (error.code === "closing") interrupted.set(gobanId, visits);
    if (error.code === "cancelled") return undefined;
    throw error;
  }
}

/** Adds the new part of a stream to a review. Returns false if there is none. */
function hear(partial, { from, newPositions, newMoves, players, turningPoints }) {
  if (!newPositions) return false;
  partial.positions.splice(from, Infinity, ...newPositions);
  partial.moves.splice(Math.max(from - 1, 0), Infinity, ...newMoves);
  Object.assign(partial, { players, turningPoints });
  return true;
}

// The service ends the reviews of a lost connection.
onReconnected(() => {
  for (const [gobanId, visits] of interrupted) attempt(() => reviewStored(gobanId, visits));
  interrupted.clear();
});

/** Returns a text that identifies the main line of a game. */
function nameOf(game) {
  const parts = [game.settings.size, game.settings.komi, game.settings.rules];
  for (let node = game.root; node; node = node.children[0]) {
    if (node.setUp || node.changes) parts.push(node.setUp ?? game.matrix(node.changes));
    if (node.move) parts.push(node.move);
  }
  // The moves of the review are compared as well.
  return fingerprint(parts.join(";"));
}

/** Stores the fingerprint and id of a reviewed game. */
const rememberReview = (game) => rememberEntry(KEY, nameOf(game), game.gobanId, MAX_KNOWN);

/**
 * Loads the review of a game that was reviewed before and has been opened again: the one of the stored game that it
 * belongs to, or one of an equal game. The latest review is tried as well, because moves may have been added to its game.
 */
async function find(game) {
  if (!isConnected() || game.review || (game.settings.playing && !game.over)) return;
  const known = recallEntries(KEY);
  const name = nameOf(game);
  const entries = [known.findLast(([key]) => key === name), known.at(-1)].filter(Boolean);
  const ids = new Set([game.gobanId, ...entries.map(([, id]) => id)].filter(Boolean));
  for (const gobanId of ids) {
    const review = await load(gobanId);
    if (game.review || game !== state.game) return;
    // Another stored game may have other players or comments, so saving this game must not replace it: `gobanId` stays.
    if (!review || !fits(game, review)) continue;
    attach(game, review);
    return;
  }
}

async function load(gobanId) {
  try {
    return (await service.ask("loadGoban", { gobanId })).review;
  } catch (error) {
    // The game may have been deleted from the store.
    if (!error.code) throw error;
    return null;
  }
}

on(["game"], () => find(state.game));
onReconnected(() => find(state.game));

/** Reviews the current game in the background. A finished game becomes a record, in which variations can be played. */
export async function review() {
  const { game, humans } = state;
  openTab("review");
  if (againstEngine()) set("guessColor", humans.black ? "black" : "white");
  await attempt(async () => {
    const { gobanId } = await store(game);
    if (game.over) {
      game.settings.playing = false;
      changed("result", "mode");
    }
    // The graph and the slider show the line that is reviewed.
    if (game === state.game) await returnToMainLine();
    say("said.reviewing");
    const found = await reviewStored(gobanId);
    if (!found) {
      say("said.reviewStopped");
      return;
    }
    rememberReview(game);
    if (game === state.game) say("said.reviewed", { n: mistakes(game).length });
  });
}

/** True if the current game has moves to review and is not being reviewed, and the service can be reached. */
const canReview = () => isConnected() && state.game.root.children.length > 0 && !reviewProgress(state.game.gobanId);

addAction({
  id: "review", icon: "review", enabled: canReview,
  name: () => (state.game.review ? "action.review-again" : "action.review"), run: () => review(),
});

/** Shows the position before a reviewed move, in which the move and better ones can be compared. */
export async function showMoment(node) {
  state.moment = node;
  state.preview = null;
  await go(node.parent ?? node);
  changed("review");
}

/**
 * Returns the node of the reviewed move that the user is looking at: the chosen one while the position before or after it
 * is shown, otherwise the last move.
 */
export function moment() {
  const { game: { here }, moment: chosen } = state;
  if (chosen?.review && (here === chosen.parent || here === chosen)) return chosen;
  return here.review ? here : null;
}

/** Returns the next mistake after the current position, or the previous one before it (`step` -1), or undefined. */
function neighbour(step) {
  const { game } = state;
  const at = moment();
  const path = new Set(game.path());
  // In a variation, the last reviewed move before it counts.
  const number = at?.review.number ?? Math.max(0, ...game.reviewNodes?.filter((node) => node?.review && path.has(node)).map(({ review: { number: one } }) => one) ?? []);
  const list = mistakes(game, "move");
  if (step < 0) return list.findLast(({ review: { number: one } }) => one < number);
  return list.find(({ review: { number: one } }) => one > number);
}

for (const [id, step, keys] of [["previous-mistake", -1, ["Shift+m"]], ["next-mistake", 1, ["m"]]]) {
  addAction({ id, group: "study", icon: id, keys, enabled: () => Boolean(neighbour(step)), run: () => showMoment(neighbour(step)) });
}

/** Adds a line of play after `node` to the tree as a variation. The user can undo this. */
export function addVariation(node, color, vertices) {
  const { game } = state;
  const last = game.branch(node, inTurns(color, vertices));
  const remove = game.attach(last);
  if (!remove) return;
  undoable({
    scope: game, text: "undone.variation",
    undo: async () => {
      if (game !== state.game) return;
      remove();
      changed("tree");
      await go(game.here);
    },
    redo: () => {
      game.attach(last);
      changed("tree");
    },
  });
  changed("tree");
}
