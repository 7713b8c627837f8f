// The game of this browser, saved for the next visit.

import { recall, remember } from "/core/storage.js";
import { write } from "/game/sgf.js";
import { state } from "/game/state.js";

/** Key of the saved game in the browser's local storage. */
const KEY = "honinbo-game";
/** True if another tab has saved its game since this tab last did. */
let elsewhere = false;

/** Delay of `saveSoon`, in milliseconds. */
const DELAY = 300;
let timer = null;

/** Saves the game after a moment without further calls: while the user moves through a game, only the place changes. */
export function saveSoon() {
  clearTimeout(timer);
  timer = setTimeout(save, DELAY);
}

/** Saves the game. */
export function save() {
  clearTimeout(timer);
  const { game, humans, level, lostTurns, clocks, clockSettings } = state;
  // The initial empty game must not overwrite the saved one, which may have failed to load.
  if (!state.started && game.root.children.length === 0) return;
  const way = game.path().slice(1).map((node) => node.parent.children.indexOf(node));
  const { settings: { playing = false } } = game;
  const data = { goban: write(game), way, humans, level, lostTurns, playing, clock: clocks?.left(), clockSettings };
  elsewhere = false;
  remember("local", KEY, JSON.stringify(data));
}

/** Returns the data saved by `save`, or null if there is none or it is unusable. */
export function saved() {
  try {
    const data = JSON.parse(recall("local", KEY));
    return Array.isArray(data?.way) && data.humans && data.lostTurns ? data : null;
  } catch {
    return null;
  }
}

// Once another tab has saved a game, the clock of this tab stops: running out of time here would end the game there.
addEventListener("storage", ({ key }) => {
  if (key !== KEY) return;
  elsewhere = true;
  state.clocks?.turn(null);
});

// When the page is closed, the thinking time of the current move is deducted.
addEventListener("pagehide", () => {
  if (!elsewhere) save();
});
