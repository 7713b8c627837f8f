// Editing of positions: the user places stones, then the position becomes a node of the tree.

import { say } from "/core/message.js";
import { changed } from "/core/store.js";
import { analyse, go, halt, leaveMode, pointHandlers, show } from "/game/play.js";
import { isOwn, state } from "/game/state.js";
import { attempt, service } from "/service/service.js";

/** Stone to place: 1 black, -1 white, 0 none; and the side to move afterwards. */
export const brush = { stone: 1, turn: "black" };

export function startEditing() {
  if (state.busy || !state.game.here.position) return;
  state.mode = "edit";
  state.edited = state.game.here.position.board.map((row) => [...row]);
  brush.turn = state.game.here.position.color;
  analyse();
  say("said.editing");
  changed("mode");
}

/** Leaves the editor without a change. */
export async function cancelEditing() {
  halt();
  leaveMode();
  say("");
  analyse();
  await show();
}

/** Adds the edited position to the tree if the service accepts it. The editor stays open until then. */
export async function finishEditing() {
  if (state.mode !== "edit") return;
  const { game, edited } = state;
  const { turn } = brush;
  const { komi, rules } = game.settings;
  const checking = new AbortController();
  state.busy = checking;
  const legal = await attempt(() => service.ask("position", { board: edited, color: turn, komi, rules }));
  // The user may have left this position in the meantime.
  if (state.busy !== checking) return;
  state.busy = null;
  changed("mode");
  if (!legal) return;
  const node = game.set(edited, turn);
  say("said.setUp", { color: turn });
  await go(node);
  if (node !== state.game.here || game.over || !isOwn(turn)) return;
  if (state.clocks && state.clocks.running !== turn) state.clocks.turn(turn);
}

pointHandlers.edit = (column, row) => {
  // The set-up is being checked by the service.
  if (state.busy) return;
  // Another array, because the board updates only what has changed.
  const rows = state.edited.map((cells) => [...cells]);
  rows[row][column] = rows[row][column] === brush.stone ? 0 : brush.stone;
  state.edited = rows;
  changed("mode");
};
