// The board on the page, and the view that it shows.
//
// A view describes everything on the board. Places are [column, row] from the upper left; keys of sets and maps are
// "column,row". Fields:
// - `matrix`: stones (1 black, -1 white, 0 empty); `label`, `role`: texts for screen readers
// - `turn`: colour of the stone that a click would play, or null; `forbidden`: set of points where it may not be played
// - `last`: last move; `branches`: existing variations, [{at, color}]
// - `numbers`: map of move numbers on stones; `dead`: set of stones shown faintly; `pending`: move that is being checked
// - `paint`: matrix from 1 (Black's) to -1 (White's), soft areas; `owners`: the same as small squares
// - `markers`: [{at, kind, text}], kind "triangle", "square", "circle", "cross", "selected" or "label"
// - `dimmed`, `visible`: sets of points shown faintly, and of the only points shown
// - `heat`: matrix of probabilities; `arrows`: [{from, to, arrow}]; `draws`: true while dragging draws a line
// - `discs`: candidate moves, [{at, lines, kind, best, ringed, scale, alpha}]; `lines`: up to two short texts
// - `line`: a variation as numbered stones, [{at, color, text}]
// - `coordinates`, `confirm`, `natural`: settings

import { addAction } from "/core/actions.js";
import { byId } from "/core/dom.js";
import { clearMessage, say } from "/core/message.js";
import { settings } from "/core/settings.js";
import { changed, on } from "/core/store.js";
import { Board } from "/board/board.js";
import { VARIATION } from "/game/candidates.js";
import { dragLine, drawDragged } from "/game/edit.js";
import { chosen } from "/game/play.js";
import { mayPlay, state } from "/game/state.js";
import { other } from "/game/tree.js";
import { isConnected } from "/service/service.js";
import { t } from "/texts/texts.js";

const sources = [];
let board = null;

/** Adds a function `source(view)` that adds fields to each view; it reads the state. Later sources may replace fields. */
export const addViewSource = (source) => sources.push(source);

/** Creates the board. `panels/message.js` shows the button that confirms a tap. */
export function createBoard() {
  board = new Board(byId("board"), {
    play: chosen,
    hover: (place) => {
      for (const listener of hovering) listener(place);
    },
    visit: announce,
    aimed: (place) => {
      state.aimed = place;
      if (place) say("said.aimed", { vertex: state.game.vertex(...place) }, "place");
      else clearMessage("place");
      changed("aim");
    },
    drawing: dragLine,
    drawn: drawDragged,
  });
  byId("skip").addEventListener("click", focusBoard);
  on(["position", "analysis", "mode", "game", "result", "tree", "settings", "language", "hover", "connection"], draw);
}

const hovering = [];
/** Calls `listener(place)` when the pointer or the cursor moves to another point, or leaves the board (null). */
export const onHover = (listener) => hovering.push(listener);

/** Moves the focus to the board. */
export const focusBoard = () => board.focus();

addAction({ id: "focus-board", group: "navigation", keys: ["b"], run: focusBoard });

/** Plays the point that a tap has aimed at. */
export const confirmAim = () => board.confirm();

/** Redraws the board from the data at hand. */
function draw() {
  const { game, game: { here } } = state;
  // Until the position is known, the latest board stays. At first, without a connection, that is an empty one.
  if (!here.position && (board.view || isConnected())) return;
  const view = {
    matrix: state.mode === "edit" ? state.edited : here.position?.board ?? game.matrix([]),
    turn: mayPlay() ? here.position.color : null, forbidden: forbidden(here),
    label: label(), role: t("board.role"),
    coordinates: settings.coordinates, confirm: settings.confirm, natural: settings.natural,
  };
  for (const source of sources) source(view, state);
  board.show(view);
}

/** Returns the set of the points that the rules forbid to the side to move. */
const forbidden = ({ position }) => new Set(position?.forbidden?.map((vertex) => String(state.game.place(vertex))));

/** Announces the keyboard cursor to screen readers. */
function announce(column, row) {
  const matrix = board.view.matrix;
  const key = ["place.white", "place.empty", "place.black"][matrix[row][column] + 1];
  say(key, { vertex: state.game.vertex(column, row) }, "place");
}

function label() {
  const { game } = state;
  const { here } = game;
  const params = { columns: game.width, rows: game.height, number: game.number, color: here.position?.color ?? game.turn(here) };
  const text = t("board.label", params);
  return here.move ? text + t("sentence.between") + t("board.lastMove", { color: here.move[0], vertex: here.move[1] }) : text;
}

/**
 * Returns the first moves of a line of play as numbered stones for the board, beginning with the colour `first`. Passes
 * and points that were played before are left out.
 */
export function variation(line, first, limit = VARIATION) {
  const stones = new Map();
  line.slice(0, limit).forEach((vertex, index) => {
    if (vertex === "pass" || stones.has(vertex)) return;
    stones.set(vertex, { at: state.game.place(vertex), color: index % 2 === 0 ? first : other(first), text: String(index + 1) });
  });
  return [...stones.values()];
}
