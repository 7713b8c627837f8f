// Actions of playing and moving through the game.

import { say } from "/core/message.js";
import { addAction } from "/core/actions.js";
import { cancelEditing, startEditing } from "/game/edit.js";
import { analyse, canCount, count, estimate, go, leaveMode, move, pause, play, resign, show } from "/game/play.js";
import { againstEngine, betweenEngines, state } from "/game/state.js";
import { isConnected } from "/service/service.js";

const here = () => state.game.here;
/** True if a position before the user's own turn is skipped: in games against the engine, where the user cannot move. */
const skipped = (node) => againstEngine() && !state.humans[state.game.turn(node)];

/** Returns the next node of the line, up to the user's turn. */
function next() {
  const line = state.game.line();
  let index = line.indexOf(here()) + 1;
  while (index < line.length - 1 && skipped(line[index])) index += 1;
  return line[index];
}

/** Returns the previous node, back to the user's turn. */
export function previous() {
  let node = here().parent;
  while (node?.parent && skipped(node)) node = node.parent;
  return node;
}

export const hasParent = () => Boolean(here().parent);
export const hasChild = () => here().children.length > 0;

/** Says which position is shown after `node`. */
export function sayPosition(node) {
  const number = state.game.numberOf(node);
  if (node.move) say("said.position", { number, color: node.move[0], vertex: node.move[1] });
  else say("facts.move", { number });
}

function visit(node) {
  sayPosition(node);
  return go(node);
}

addAction({ id: "first", slot: "navigation", order: 1, icon: "first", keys: ["Home"], enabled: hasParent, run: () => visit(state.game.root) });
addAction({ id: "back", slot: "navigation", order: 2, icon: "back", keys: ["ArrowLeft"], enabled: hasParent, run: () => visit(previous()) });
addAction({ id: "forward", slot: "navigation", order: 3, icon: "forward", keys: ["ArrowRight"], enabled: hasChild, run: () => visit(next()) });
addAction({ id: "last", slot: "navigation", order: 4, icon: "last", keys: ["End"], enabled: hasChild, run: () => visit(state.game.line().at(-1)) });

addAction({
  id: "pause", slot: "play", order: 3, icon: "pause", visible: betweenEngines, enabled: () => !state.game.over, pressed: () => state.paused, run: pause,
});

const idle = () => state.mode !== "edit" && state.mode !== "score" && !state.busy && !state.game.over;

addAction({
  id: "pass", slot: "play", order: 1, icon: "pass", keys: ["p"], enabled: () => idle() && state.mayPass,
  run: () => {
    leaveMode();
    return play(here().position.color, "pass");
  },
});

addAction({
  id: "resign", slot: "play", order: 3, icon: "resign", visible: () => !betweenEngines(), enabled: () => state.mode !== "edit" && Boolean(state.resigner),
  run: () => resign(state.resigner),
});

addAction({ id: "move", slot: "play", order: 4, icon: "engine", keys: ["g"], enabled: () => idle() && isConnected(), run: () => move() });

addAction({
  id: "score", slot: "study", order: 1, icon: "score", keys: ["s"],
  // A move that arrives in another mode would be lost, so the mode cannot change during a request.
  enabled: () => !state.busy && state.mode !== "edit" && (isConnected() || state.mode !== "play"),
  pressed: () => state.mode === "score" || state.mode === "estimate",
  name: () => (canCount() ? "action.count" : "action.estimate"),
  run: () => {
    if (state.mode === "play") return canCount() ? count() : estimate();
    leaveMode();
    say("");
    analyse();
    return show();
  },
});

addAction({
  id: "edit", slot: "study", order: 3, icon: "edit", keys: ["e"], enabled: () => !state.busy, pressed: () => state.mode === "edit",
  run: () => (state.mode === "edit" ? cancelEditing() : startEditing()),
});
