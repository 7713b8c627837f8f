// Changes of the game tree by the user: promoting, moving and deleting variations. All can be undone.

import { addAction } from "/core/actions.js";
import { changed } from "/core/store.js";
import { perform } from "/core/undo.js";
import { go, leaveMode } from "/game/play.js";
import { state } from "/game/state.js";

/**
 * Performs a change of the tree that can be undone: `redo` and `undo` change the game and return the node to show
 * afterwards. Nothing happens once another game is open.
 */
export function change({ text, params, quiet, redo: apply, undo: revert }) {
  const { game } = state;
  const step = (work) => async () => {
    if (game !== state.game) return;
    leaveMode();
    const node = work();
    changed("tree");
    await go(game.contains(node) ? node : game.root);
  };
  return perform({ scope: game, text, params, quiet, redo: step(apply), undo: step(revert) });
}

/** Deletes the current node and its subtree. */
function remove() {
  const { game } = state;
  const { here: node, here: { parent } } = game;
  const { out, back } = game.detach(node);
  return change({
    text: "undone.remove",
    redo: () => {
      out();
      return parent;
    },
    undo: () => {
      back();
      return node;
    },
  });
}

/** Orders siblings by `arrange(children, node)` at the nodes that `branches` contains, and keeps the current node. */
function rearrange(text, branches, arrange) {
  const { game } = state;
  const { here } = game;
  const before = branches.map(({ parent }) => [parent, [...parent.children]]);
  const after = branches.map((node) => [node.parent, arrange(node.parent.children, node)]);
  const order = (orders) => () => {
    game.reorder(orders);
    return here;
  };
  return change({ text, redo: order(after), undo: order(before) });
}

/** Makes the current line the main line. */
const promote = () => rearrange("undone.promote", state.game.sideSteps(), (children, node) => [node, ...children.filter((one) => one !== node)]);

/** Moves the current variation up (-1) or down (1) among its alternatives. */
function shift(step) {
  return rearrange("undone.shift", [state.game.fork()], (children, node) => {
    const others = children.filter((one) => one !== node);
    others.splice(children.indexOf(node) + step, 0, node);
    return others;
  });
}

function canShift(step) {
  const node = state.game.fork();
  return Boolean(node?.parent.children[node.parent.children.indexOf(node) + step]);
}

addAction({ id: "remove", group: "tree", icon: "remove", keys: ["Delete"], enabled: () => Boolean(state.game.here.parent), run: () => remove() });
addAction({ id: "promote", icon: "promote", enabled: () => state.game.sideSteps().length > 0, run: () => promote() });
addAction({ id: "variation-up", group: "tree", icon: "up", keys: ["Alt+ArrowUp"], enabled: () => canShift(-1), run: () => shift(-1) });
addAction({ id: "variation-down", group: "tree", icon: "down", keys: ["Alt+ArrowDown"], enabled: () => canShift(1), run: () => shift(1) });
