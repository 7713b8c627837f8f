// State shared by all modules of the page, the connection to the service, and the saved game.

import { askToken } from "/dialogs.js";
import { Game } from "/game.js";
import { Service } from "/socket.js";
import { write } from "/sgf.js";
import { recall, remember } from "/storage.js";

const byId = (id) => document.getElementById(id);
/** Key of the saved game in the browser's local storage. */
const KEPT = "honinbo-game";
/** True if another tab has saved its game since this tab last did. */
let elsewhere = false;

export const service = new Service((connected) => {
  byId("connection").textContent = connected ? "" : "Not connected; the next request reconnects.";
}, askToken);

export const state = {
  game: new Game({ size: [19, 19], komi: 7.5, rules: "chinese-ogs", black: "You", white: "Honinbo, level 5", playing: true }),
  humans: { black: true, white: false },
  level: 5,
  mode: "play", // "play", "score" or "edit"
  analysing: false,
  busy: null, // AbortController of the request in progress: a move, an engine search or a new set-up
  stop: null, // function that stops the running analysis
  hovered: null, // index of the analysed move whose variation is shown
  lostTurns: { black: 0, white: 0 }, // consecutive turns on which the engine considered its position lost
  clocks: null,
  begun: false, // true once the user has started or opened a game; false for the page's initial empty game
  edited: null, // matrix of stones in edit mode
  scored: null, // response of the service to `score`, in score mode
  commented: null, // node whose comment is being edited

  /** True if the user may pass: the side to move is the user's, or the user plays neither side. */
  get mayPass() {
    const { game: { here }, humans: { black, white } } = this;
    return Boolean(here.stand) && (isOwn(here.stand.color) || !(black || white));
  },

  /**
   * Colour that the user can resign for, or null: the user's colour, or the side to move if the user plays both sides
   * or neither.
   */
  get resigner() {
    const { game, humans: { black, white } } = this;
    // The result of a game record is fixed.
    if (!game.settings.playing || game.over) return null;
    if (black === white) return game.here.stand?.color ?? null;
    return black ? "black" : "white";
  },
};

/** True if the user makes the moves of `color`. In game records the user plays both colours. */
export const isOwn = (color) => state.humans[color] || !state.game.settings.playing;

/** Shows a message below the board; screen readers announce it. */
export const say = (text) => {
  byId("said").textContent = text;
};
/** Capitalises a colour name. */
export const capital = (color) => color[0].toUpperCase() + color.slice(1);

/**
 * Runs `work` and returns its result. Errors reported by the service are shown to the user, except cancellations, and
 * undefined is returned; any other error is rethrown.
 */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!error.code) throw error;
    // The name of the request's field means nothing to the user.
    if (error.code !== "cancelled") say(error.message.replace(/^(goban|bytes): /, ""));
    return undefined;
  }
}

/**
 * Returns the position after `node` as the service describes it, and caches it in the node. Set-up stones from files on
 * the way there are first turned into complete boards.
 */
export async function stand(node) {
  if (node.stand) return node.stand;
  for (const at of state.game.path(node)) {
    if (at.changes && !at.setUp && !at.stand) {
      const before = at.parent ? (await stand(at.parent)).board : null;
      const after = state.game.matrix(at.changes, before);
      // A set-up that changes no point is ignored, so that it does not split the game.
      if (!before || String(after) !== String(before)) {
        at.setUp = after;
        // If the file does not set the side to move, it is the side that plays next.
        at.turn ??= at.children[0]?.move?.[0] ?? null;
      }
    }
  }
  node.stand = await service.ask("position", state.game.position(node));
  return node.stand;
}

/** Stores a search result in `node`, converted to Black's perspective. */
export function value(node, { color, value: winrate, scoreLead }) {
  node.value = color === "black" ? { winrate, lead: scoreLead } : { winrate: 1 - winrate, lead: -scoreLead };
}

/** Saves the game in the browser for the next visit. */
export function keep() {
  const { game, humans, level, lostTurns, clocks } = state;
  // The initial empty game must not overwrite the saved one, which may have failed to load.
  if (!state.begun && game.root.children.length === 0) return;
  const way = game.path().slice(1).map((node) => node.parent.children.indexOf(node));
  const { settings: { playing = false } } = game;
  const told = { goban: write(game), way, humans, level, lostTurns, playing, clock: clocks?.left() };
  elsewhere = false;
  remember("local", KEPT, JSON.stringify(told));
}

// Once another tab has saved a game, the clock of this tab stops: running out of time here would end the game there.
addEventListener("storage", ({ key }) => {
  if (key !== KEPT) return;
  elsewhere = true;
  state.clocks?.turn(null);
});

/** Saves the game when the page is closed, with the thinking time of the current move deducted. */
export function leave() {
  if (!elsewhere) keep();
}

/** Returns the data saved by `keep`, or null if there is none or it is unusable. */
export function kept() {
  try {
    const told = JSON.parse(recall("local", KEPT));
    return Array.isArray(told?.way) && told.humans && told.lostTurns ? told : null;
  } catch {
    return null;
  }
}
