// What the page knows, and how it asks the service.

import { askToken } from "/dialogs.js";
import { Game } from "/game.js";
import { Service } from "/socket.js";
import { write } from "/sgf.js";
import { recall, remember } from "/storage.js";

const byId = (id) => document.getElementById(id);
/** Where the game is kept between visits. */
const KEPT = "honinbo-game";
/** Whether another tab has kept its game since this one did. */
let elsewhere = false;

export const service = new Service((connected) => {
  byId("connection").textContent = connected ? "" : "Not connected; the next thing asked connects again.";
}, askToken);

export const state = {
  game: new Game({ size: [19, 19], komi: 7.5, rules: "chinese", black: "You", white: "Honinbo, level 5", playing: true }),
  humans: { black: true, white: false },
  level: 5,
  mode: "play", // or "score", "edit"
  analysing: false,
  busy: null, // while a move is made or thought about, what ends that: an AbortController
  stop: null, // ends the analysis that runs
  hovered: null, // the place in the analysis' list whose line is shown
  lostTurns: { black: 0, white: 0 }, // in a row that the engine's position was lost
  clocks: null,
  begun: false, // whether the game was begun or opened, and is not the page's own
  edited: null,
  scored: null,
  commented: null, // the node whose comment the user is writing

  /** Whether the user may pass here: on a turn of their own, or where neither side is theirs. */
  get mayPass() {
    const { game: { here }, humans: { black, white } } = this;
    return Boolean(here.stand) && (isOwn(here.stand.color) || !(black || white));
  },

  /** The colour that the user may resign for, or null: their own, or whoever's turn it is if both sides or neither are theirs. */
  get resigner() {
    const { game, humans: { black, white } } = this;
    // A record has the result that its players gave it.
    if (!game.settings.playing || game.over) return null;
    if (black === white) return game.here.stand?.color ?? null;
    return black ? "black" : "white";
  },
};

/** Whether the user moves for a colour: for both where no game is being played. */
export const isOwn = (color) => state.humans[color] || !state.game.settings.playing;

/** Tells the user something. */
export const say = (text) => {
  byId("said").textContent = text;
};
/** A colour as a sentence begins with it. */
export const capital = (color) => color[0].toUpperCase() + color.slice(1);

/** Does something that may fail, and says why if it does. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!error.code) throw error;
    if (error.code !== "cancelled") say(error.message);
    return undefined;
  }
}

/** What the service says of the position after a node. */
export async function stand(node) {
  if (node.stand) return node.stand;
  for (const at of state.game.path(node)) {
    if (at.changes && !at.setUp && !at.stand) {
      const before = at.parent ? (await stand(at.parent)).board : null;
      const after = state.game.matrix(at.changes, before);
      // What changes nothing does not part the game.
      if (!before || String(after) !== String(before)) {
        at.setUp = after;
        // Without a word on the turn it is that of whoever moves next.
        at.turn ??= at.children[0]?.move?.[0] ?? null;
      }
    }
  }
  node.stand = await service.ask("position", state.game.position(node));
  return node.stand;
}

/** Remembers what a search says of a position, as Black's. */
export function value(node, { color, value: winrate, scoreLead }) {
  node.value = color === "black" ? { winrate, lead: scoreLead } : { winrate: 1 - winrate, lead: -scoreLead };
}

/** Keeps the game for the next visit. */
export function keep() {
  const { game, humans, level, lostTurns, clocks } = state;
  // The board that nobody began is no reason to forget the game of the last visit, which may have failed to come.
  if (!state.begun && game.root.children.length === 0) return;
  const way = game.path().slice(1).map((node) => node.parent.children.indexOf(node));
  const { settings: { playing = false } } = game;
  const told = { goban: write(game), way, humans, level, lostTurns, playing, clock: clocks?.left() };
  elsewhere = false;
  remember("local", KEPT, JSON.stringify(told));
}

// What goes on in another tab goes on there alone: a clock that ran out here would end the game there.
addEventListener("storage", ({ key }) => {
  if (key !== KEPT) return;
  elsewhere = true;
  state.clocks?.turn(null);
});

/** Keeps the game as it is left: the time of the move that is being thought about counts. */
export function leave() {
  if (!elsewhere) keep();
}

/** What was kept at the last visit, or null if that is nothing that can be gone on with. */
export function kept() {
  try {
    const told = JSON.parse(recall("local", KEPT));
    return Array.isArray(told?.way) && told.humans && told.lostTurns ? told : null;
  } catch {
    return null;
  }
}
