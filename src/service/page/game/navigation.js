// Moving through the game tree: by several moves, to the main line, between variations, and to nodes that follow each
// other quickly, as while the user drags a slider.

import { addAction } from "/core/actions.js";
import { clearMessage } from "/core/message.js";
import { changed } from "/core/store.js";
import { layout } from "/game/layout.js";
import { hasChild, hasParent, sayPosition } from "/game/actions.js";
import { go } from "/game/play.js";
import { state } from "/game/state.js";

let wanted = null;
let moving = false;

/** Goes to `node`. While an earlier request is being processed, only the latest node is remembered. */
export async function seek(node) {
  // A message about another position.
  clearMessage("info");
  wanted = node;
  if (moving) return;
  moving = true;
  try {
    while (wanted) {
      const next = wanted;
      wanted = null;
      if (next !== state.game.here && state.game.contains(next)) await go(next);
    }
  } finally {
    moving = false;
  }
}

/** Moves `count` nodes along the line. */
function jump(count) {
  const line = state.game.line();
  const index = Math.min(Math.max(line.indexOf(state.game.here) + count, 0), line.length - 1);
  return visit(line[index]);
}

/** Returns the node of the same depth in the next line of the drawn tree (1) or in the previous one (-1). */
function beside(step) {
  const { columns, places } = layout(state.game);
  const column = columns[places.get(state.game.here)?.[0]] ?? [];
  const rows = [...column].sort((one, two) => places.get(one)[1] - places.get(two)[1]);
  return rows[rows.indexOf(state.game.here) + step];
}

/** Returns the last node on the way to the current one that is in the main line, or undefined if it is itself. */
const mainLine = () => state.game.sideSteps()[0]?.parent;

/** Returns from a variation to the main line, which is then the current line. */
export async function returnToMainLine() {
  const { game } = state;
  const node = mainLine() ?? game.here;
  game.followMainLine(node);
  changed("tree");
  if (node !== game.here) await visit(node);
}

/** Goes to a node, and says which position it is, for users who do not see the board change. */
function visit(node) {
  const moved = seek(node);
  sayPosition(node);
  return moved;
}

addAction({ id: "back-ten", group: "navigation", keys: ["Shift+ArrowLeft"], enabled: hasParent, run: () => jump(-10) });
addAction({ id: "forward-ten", group: "navigation", keys: ["Shift+ArrowRight"], enabled: hasChild, run: () => jump(10) });
addAction({ id: "previous-variation", group: "navigation", keys: ["ArrowUp"], enabled: () => Boolean(beside(-1)), run: () => visit(beside(-1)) });
addAction({ id: "next-variation", group: "navigation", keys: ["ArrowDown"], enabled: () => Boolean(beside(1)), run: () => visit(beside(1)) });
addAction({
  id: "main-line", slot: "navigation", order: 5, icon: "main-line", keys: ["PageUp"], enabled: () => Boolean(mainLine()), run: returnToMainLine,
});
