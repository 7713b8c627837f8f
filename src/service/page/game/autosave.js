// The game of this tab, saved for the next visit, and games that are replaced.

import { say } from "/core/message.js";
import { recordOf } from "/game/record.js";
import { withoutValues, write } from "/game/sgf.js";
import { keep, writeOwn } from "/game/slots.js";
import { state } from "/game/state.js";

/** Delay of `saveSoon`, in milliseconds. */
const DELAY = 300;
let timer = null;
let isFull = false;

/** True if a game has moves or stones. */
const hasContent = ({ root }) => root.children.length > 0 || Boolean(root.setUp || root.changes || root.move);

/** Returns the data of a game and of its circumstances, which are fields of `state`. */
function describe({ game, humans, level, lostTurns, clocks, clockSettings, mode }) {
  const { collection, way, settings: { playing = false, black, white, result } } = game;
  const goban = write(game);
  return {
    goban, record: recordOf(game), way, humans, level, lostTurns, playing, clock: clocks?.left(), clockSettings, gobanId: game.gobanId,
    collection: collection && { id: collection.id, index: collection.index }, solving: mode === "problem",
    unsaved: hasContent(game) && withoutValues(goban) !== game.saved,
    // For the list of games that can be recovered.
    time: Date.now(), black, white, result, moves: game.number, board: game.here.position?.board ?? null,
  };
}

/** Saves the game after a moment without further calls: while the user moves through a game, only the place changes. */
export function saveSoon() {
  clearTimeout(timer);
  timer = setTimeout(save, DELAY);
}

/** Saves the game. */
export function save() {
  clearTimeout(timer);
  // The initial empty game must not overwrite the saved one, which may have failed to load.
  if (!state.started && state.game.root.children.length === 0) return;
  const data = describe(state);
  // Without space for it, the data is left out that the page itself reads.
  const failed = !writeOwn(data) && !writeOwn({ ...data, record: null }) && isAvailable();
  if (failed && !isFull) say("said.storageFull", {}, "error");
  isFull = failed;
}

/** True if the browser lets pages store data. */
function isAvailable() {
  try {
    return Boolean(window.localStorage);
  } catch {
    return false;
  }
}

/**
 * Keeps a game that is being replaced, unless it is saved elsewhere. `fields`: the fields of `state` that belong to it.
 * Returns the name of its slot, or null.
 */
export function keepReplaced(fields) {
  if (!hasContent(fields.game)) return null;
  const data = describe(fields);
  return data.unsaved ? keep(data) ?? keep({ ...data, record: null }) : null;
}

// When the page is closed, the thinking time of the current move is deducted.
addEventListener("pagehide", save);
document.addEventListener("visibilitychange", () => document.hidden && save());
