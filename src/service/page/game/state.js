// The game on the page and its mode. Other modules read `state`; the modules in this folder change it and report the
// topics of the changes.

import { changed } from "/core/store.js";
import { service } from "/service/service.js";
import { positionOf } from "/game/positions.js";
import { Game } from "/game/tree.js";
import { usualRules } from "/game/usual_rules.js";

export const state = {
  game: new Game({ size: [19, 19], ...usualRules(), black: "", white: "", playing: true }),
  humans: { black: true, white: false },
  level: 5,
  mode: "play", // "play", "score" (counting), "estimate", "edit", "guess" or "problem"
  analysing: false,
  busy: null, // AbortController of the request in progress: a move, an engine search or a new set-up
  paused: false, // true while a game between two engines waits
  thinking: null, // colour for which the engine searches a move
  stop: null, // function that stops the running analysis
  hovered: null, // vertex of the analysed move whose variation is shown
  reviewing: 0, // number of running reviews
  preview: null, // variation shown on the board while `node` is current: {node, color, vertices}
  moment: null, // node of the reviewed move that the user has chosen
  lostTurns: { black: 0, white: 0 }, // consecutive turns on which the engine considered its position lost
  clocks: null,
  clockSettings: null, // time limits of the game, for a rematch
  started: false, // true once the user has started or opened a game; false for the page's initial empty game
  edited: null, // matrix of stones in edit mode
  scored: null, // response of the service to `score`, in score mode
  estimated: null, // response of the service to `run`, in estimate mode
  lineStart: null, // vertex from which a line is being drawn, in edit mode
  lineEnd: null, // vertex to which it is being dragged
  moved: null, // latest move on the board, {node, before: node of the position before it}
  aimed: null, // point that a tap has aimed at, [column, row]

  /** True if the user may pass: the side to move is the user's, or the user plays neither side. */
  get mayPass() {
    const { game: { here }, humans: { black, white } } = this;
    return Boolean(here.position) && (isOwn(here.position.color) || !(black || white));
  },

  /**
   * Colour that the user can resign for, or null: the user's colour, or the side to move if the user plays both sides
   * or neither.
   */
  get resigner() {
    const { game, humans: { black, white } } = this;
    // The result of a game record is fixed.
    if (!game.settings.playing || game.over) return null;
    if (black === white) return game.here.position?.color ?? null;
    return black ? "black" : "white";
  },
};

/** True if the user makes the moves of `color`. In game records the user plays both colours. */
export const isOwn = (color) => state.humans[color] || !state.game.settings.playing;

/** True if a game against the engine is being played. */
export const againstEngine = () => state.game.settings.playing && state.humans.black !== state.humans.white;

/** True if the engine plays both sides of a game. */
export const betweenEngines = () => state.game.settings.playing && !state.humans.black && !state.humans.white;

/** True if choosing a point on the board plays a move. */
export function mayPlay() {
  const { game, mode, busy } = state;
  return mode === "play" && !busy && !game.over && Boolean(game.here.position) && isOwn(game.here.position.color);
}

/** True if it is the engine's turn in the position after `node`. */
export function isEnginesTurn(node = state.game.here) {
  const { position } = node;
  return Boolean(position && !position.ended && !state.game.over && !isOwn(position.color));
}

/** Returns the position after `node` if the page knows it or can compute it alone, without errors; otherwise undefined. */
export function positionAtOnce(node) {
  const { game } = state;
  const isUnsettled = ({ changes, setUp, position: known }) => changes && !setUp && !known;
  if (node.position || game.path(node).some(isUnsettled)) return node.position;
  try {
    node.position = positionOf(game, node) ?? undefined;
  } catch (error) {
    // `position` reports the error.
    if (!error.code) throw error;
  }
  return node.position;
}

/**
 * Returns the position after `node`, and caches it in the node. The service is asked only if the page does not know the
 * rules of the game. Set-up stones from files on the way there are first turned into complete boards.
 */
export async function position(node) {
  if (node.position) return node.position;
  for (const at of state.game.path(node)) {
    if (at.changes && !at.setUp && !at.position) {
      const before = at.parent ? (await position(at.parent)).board : null;
      const after = state.game.matrix(at.changes, before);
      // A set-up that changes no point is ignored, so that it does not split the game.
      if (!before || String(after) !== String(before)) {
        at.setUp = after;
        // If the file does not set the side to move, it is the side that plays next.
        at.turn ??= at.children[0]?.move?.[0] ?? null;
      }
    }
  }
  node.position = positionOf(state.game, node) ?? await service.ask("position", state.game.request(node));
  changed("position");
  return node.position;
}

/** Stores a search result in `node`, converted to Black's perspective, unless the result of a deeper one is known. */
export function setValue(node, result) {
  const { color, value: winrate, scoreLead, visits = 0 } = result;
  const known = node.deepest ?? node.reviewed;
  if (node.value && known && known !== result && known.visits >= visits) return;
  node.value = color === "black" ? { winrate, lead: scoreLead } : { winrate: 1 - winrate, lead: -scoreLead };
  changed("analysis");
}
