// Editing: the user places stones, which become a node of the tree when they are confirmed, and marks points of the
// current node, which takes effect at once.

import { say, sayError } from "/core/message.js";
import { changed, on } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { save } from "/game/autosave.js";
import { toggledLine, toggledMark, withoutMarks } from "/game/marks.js";
import { analyse, go, halt, leaveMode, pointHandlers, show } from "/game/play.js";
import { checkStones } from "/game/positions.js";
import { isOwn, state } from "/game/state.js";

/** Tools that place stones, with the values of the stones, and tools that mark points. */
export const STONES = { black: 1, white: -1 };
export const MARKS = ["triangle", "square", "circle", "cross", "letter", "number"];
const LINES = ["arrow", "line"];

/** Selected tool: one of the above or "erase"; and the side to move after a set-up. */
export const brush = { tool: "black", turn: "black" };

/** Stones that have been placed and are not part of the tree yet: {game, node, rows, turn}, or null. */
let placed = null;
/** Identifies the use of the editor to which undone stones belong. */
let session = null;

/** True if stones have been placed that do not belong to the tree yet. */
export const hasNewStones = () => state.mode === "edit" && String(state.edited) !== String(state.game.here.position.board);

export function startEditing() {
  if (state.busy || !state.game.here.position) return;
  session = {};
  state.mode = "edit";
  state.edited = state.game.here.position.board.map((row) => [...row]);
  brush.turn = state.game.here.position.color;
  analyse();
  say("said.editing");
  changed("mode");
}

/** Selects a tool. Stones placed before are confirmed first, so that marks belong to the new position. */
export async function selectTool(tool) {
  if (!(tool in STONES) && tool !== "erase" && hasNewStones()) {
    if (!await finishEditing()) return;
    startEditing();
  }
  brush.tool = tool;
  state.lineStart = state.lineEnd = null;
  if (LINES.includes(tool)) say("said.drawLine");
  changed("mode");
}

/** Leaves the editor without the stones placed since it was opened. Marks are kept. */
export async function cancelEditing() {
  placed = null;
  halt();
  leaveMode();
  say("");
  analyse();
  await show();
}

/**
 * Adds the edited position to the tree if the rules allow it, and leaves the editor; it stays open otherwise.
 * Resolves to true if it was left.
 */
export async function finishEditing() {
  if (state.mode !== "edit") return false;
  const { game, game: { here }, edited } = state;
  const { turn } = brush;
  if (!hasNewStones() && turn === here.position.color) {
    await cancelEditing();
    return true;
  }
  try {
    checkStones(game, edited);
  } catch (error) {
    sayError(error);
    return false;
  }
  placed = null;
  const { node, out, back } = game.set(edited, turn);
  const put = (change, shown) => async () => {
    change();
    changed("tree");
    await go(shown);
  };
  undoable({ scope: game, text: "undone.position", quiet: true, undo: put(out, here), redo: put(back, node) });
  say("said.setUp", { color: turn });
  await go(node);
  if (node !== state.game.here || game.over || !isOwn(turn)) return true;
  if (state.clocks && state.clocks.running !== turn) state.clocks.turn(turn);
  return true;
}

/** Sets the marks of the current node. Can be undone. */
function setMarks(marks) {
  const { game, game: { here: node, here: { marks: before } } } = state;
  const put = (value) => async () => {
    node.marks = value;
    if (game !== state.game) return;
    // What is undone is shown.
    if (game.here !== node) await go(node);
    save();
    changed("tree");
  };
  put(marks)();
  undoable({ scope: game, text: "undone.marks", quiet: true, undo: put(before), redo: put(marks) });
}

/** Places or removes a stone. Can be undone until the editor is left. */
function setStone(column, row, value) {
  const { game, edited: before } = state;
  // Another array, because the board updates only what has changed.
  const after = before.map((cells) => [...cells]);
  after[row][column] = value;
  const current = session;
  const put = (rows) => () => {
    state.edited = rows;
    placed = hasNewStones() ? { game, node: game.here, rows, turn: brush.turn } : null;
    changed("mode");
  };
  put(after)();
  undoable({
    scope: game, text: "undone.stone", quiet: true, applies: () => state.mode === "edit" && session === current, undo: put(before), redo: put(after),
  });
}

/** Opens the editor again with stones that were placed before the user went elsewhere. */
async function placeAgain({ game, node, rows, turn }) {
  if (game !== state.game) return;
  await go(node);
  startEditing();
  Object.assign(state, { edited: rows });
  brush.turn = turn;
  placed = { game, node, rows, turn };
}

// Moving to another position leaves the editor.
on(["mode", "game"], () => {
  if (state.mode === "edit" || !placed) return;
  const stones = placed;
  placed = null;
  undoable({ scope: stones.game, text: "undone.setUp", undo: () => placeAgain(stones) });
});

function drawLine(vertex) {
  const { lineStart, game: { here: { marks } } } = state;
  state.lineStart = lineStart ? null : vertex;
  if (lineStart && lineStart !== vertex) setMarks(toggledLine(marks, brush.tool, lineStart, vertex));
  changed("mode");
}

/** True while dragging on the board draws a line. */
export const drawsLines = () => state.mode === "edit" && LINES.includes(brush.tool);

/** Shows the line that is being dragged from a point to another, given as [column, row]; null if it was cancelled. */
export function dragLine(from, to) {
  const vertex = (place) => place && state.game.vertex(...place);
  Object.assign(state, { lineStart: vertex(from), lineEnd: from && vertex(to) });
  changed("mode");
}

/** Draws, or removes, the line that has been dragged. */
export function drawDragged(from, to) {
  dragLine(from, null);
  drawLine(state.game.vertex(...to));
}

pointHandlers.edit = (column, row) => {
  const { tool } = brush;
  const { game, edited } = state;
  const vertex = game.vertex(column, row);
  const { marks } = game.here;
  if (tool in STONES) {
    setStone(column, row, edited[row][column] === STONES[tool] ? 0 : STONES[tool]);
  } else if (MARKS.includes(tool)) {
    setMarks(toggledMark(marks, tool, vertex));
  } else if (LINES.includes(tool)) {
    drawLine(vertex);
  } else {
    const rest = withoutMarks(marks, vertex);
    if (JSON.stringify(rest) !== JSON.stringify(marks)) setMarks(rest);
    else if (edited[row][column] !== 0) setStone(column, row, 0);
  }
};
