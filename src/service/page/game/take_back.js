// Taking moves back, and undo and redo in the current game.

import { addAction, run } from "/core/actions.js";
import { say } from "/core/message.js";
import { changed } from "/core/store.js";
import { lastDone, lastUndone, redo, undo, undoable } from "/core/undo.js";
import { hasParent, previous } from "/game/actions.js";
import { removeClocks } from "/game/begin.js";
import { answer, count, go, onPlayed } from "/game/play.js";
import { isOwn, state } from "/game/state.js";

/** Continues the game being played from `to`, a node on the way to the current one. */
async function takeBack(to) {
  const { game } = state;
  game.settings.result = "";
  changed("result");
  // After a loss on time the game continues without clocks.
  if (state.clocks?.flagged) removeClocks();
  state.lostTurns = { black: 0, white: 0 };
  game.takeBack(to);
  await go(to);
  if (!to.position) return;
  say("said.undone");
  if (isOwn(to.position.color)) state.clocks?.turn(to.position.color);
  else await answer();
}

/** Returns the last node of the line through `node`, without moves that have been undone. */
function endOfLine(game, node) {
  let last = node;
  for (let next = game.next(node); next && !next.undone; next = game.next(next)) last = next;
  return last;
}

/** Makes a move of the user one that can be undone, together with the engine's answers. */
function recordMove({ game, node, before, isNew }) {
  const { playing } = game.settings;
  if (!isOwn(node.move[0])) return;
  const { out, back } = game.detach(node);
  let last = node;
  let isUndone = false;
  undoable({
    scope: game, text: "undone.move", quiet: true, to: before,
    applies: () => game.settings.playing === playing && (isUndone ? game.contains(before) : game.contains(node) && !node.undone),
    undo: async () => {
      isUndone = true;
      if (playing) {
        last = endOfLine(game, node);
        game.go(last);
        await takeBack(before);
        return;
      }
      if (isNew) out();
      changed("tree");
      await go(before);
      say("said.undone");
    },
    redo: async () => {
      isUndone = false;
      if (isNew && !before.children.includes(node)) back();
      changed("tree");
      await go(last);
      if (last.position?.ended) await count();
    },
  });
}

onPlayed(recordMove);

/** True if a game being played has ended by a resignation or on time of a side of the user. */
function userGaveUp() {
  const [, winner] = /^([BW])\+[RT]/.exec(state.game.settings.result) ?? [];
  return state.game.over && Boolean(winner) && isOwn(winner === "B" ? "white" : "black");
}

/** Takes back the last move of a game being played, or a resignation. In game records, undoes the last change. */
function takeBackLast() {
  const { game } = state;
  const last = lastDone(game);
  if (!game.settings.playing) return undo(last);
  if (last?.resigned) return undo(last);
  // The game ends before the first move, or without one.
  const to = userGaveUp() ? game.here : previous() ?? game.here;
  return last?.to === to ? undo(last) : takeBack(to);
}

const isExercise = () => ["guess", "problem"].includes(state.mode);
const canTakeBack = () => (state.game.settings.playing ? hasParent() || state.game.over : Boolean(lastDone(state.game)));

addAction({ id: "undo", slot: "play", order: 2, icon: "undo", keys: ["u"], enabled: () => !isExercise() && canTakeBack(), run: takeBackLast });
addAction({
  id: "undo-last", group: "play", keys: ["Ctrl+z"], enabled: () => !isExercise() && (Boolean(lastDone(state.game)) || canTakeBack()),
  run: () => (lastDone(state.game) ? undo(lastDone(state.game)) : run("undo")),
});
addAction({
  id: "redo-last", group: "play", keys: ["Ctrl+Shift+z", "Ctrl+y"], enabled: () => !isExercise() && Boolean(lastUndone(state.game)),
  run: () => redo(lastUndone(state.game)),
});
